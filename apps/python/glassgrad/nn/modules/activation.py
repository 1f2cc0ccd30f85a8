"""Functions at each element, softmax, and attention (torch.nn.modules.activation)."""

from __future__ import annotations

import math

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad.nn import functional as F
from glassgrad.nn import init
from glassgrad.nn.modules._rows import (
    CELU, ELU, GELU, GLU, SELU, Hardshrink, Hardsigmoid, Hardswish, Hardtanh, LeakyReLU, LogSigmoid, LogSoftmax, Mish,
    ReLU, ReLU6, Sigmoid, SiLU, Softmax, Softmin, Softplus, Softshrink, Softsign, Tanh, Tanhshrink, Threshold,
)
from glassgrad.nn.modules.linear import NonDynamicallyQuantizableLinear
from glassgrad.nn.modules.module import Module


class PReLU(Module):
    """x, times weight where it is negative: one weight, or one for each channel."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device=None, dtype=None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(torch.full((num_parameters,), float(init), device=device, dtype=dtype))

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class MultiheadAttention(Module):
    """Attention of num_heads heads: query (L, N, embed_dim), key (S, N, kdim), value (S, N, vdim) → (L, N, embed_dim),
    with batch_first (N, L, …), without a batch (L, …).

    Each head gets embed_dim/num_heads of the projected queries, keys and values; out_proj mixes what they give.
    in_proj_weight (3·embed_dim, embed_dim) is drawn as xavier_uniform_ draws, or q_proj_weight, k_proj_weight and
    v_proj_weight where kdim or vdim is another; in_proj_bias and out_proj.bias begin at 0. add_bias_kv: a learned key
    and value more; add_zero_attn: one of zeros.
    """

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
                 add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
                 vdim: int | None = None, batch_first: bool = False, device=None, dtype=None) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.head_dim = embed_dim // num_heads
        assert self.head_dim * num_heads == embed_dim, "embed_dim must be divisible by num_heads"

        def made(*shape):
            return Parameter(torch.empty(shape, device=device, dtype=dtype))

        split = not self._qkv_same_embed_dim
        for name, width in (("q_proj_weight", embed_dim), ("k_proj_weight", self.kdim), ("v_proj_weight", self.vdim)):
            if split:
                self.register_parameter(name, made(embed_dim, width))
        self.register_parameter("in_proj_weight", None if split else made(3 * embed_dim, embed_dim))
        if not split:
            for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
                self.register_parameter(name, None)
        self.register_parameter("in_proj_bias", made(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k = made(1, 1, embed_dim) if add_bias_kv else None
        self.bias_v = made(1, 1, embed_dim) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for added in (self.bias_k, self.bias_v):
            if added is not None:
                init.xavier_normal_(added)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
                need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
                is_causal: bool = False) -> tuple[Tensor, Tensor | None]:
        """(output, weights): weights (N, L, S), or (N, num_heads, L, S) without the average; None without need_weights.

        key_padding_mask (N, S) and attn_mask (L, S) or (N·num_heads, L, S): True hides a key, floats are added to the
        scores. is_causal says of attn_mask that it hides what comes later; without weights and padding nothing
        else is read of it. A query whose keys are all hidden gets weights of nan, and without weights 0.
        """
        batched = query.dim() == 3
        if query.dim() not in (2, 3):
            raise AssertionError(
                f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
            )
        self._check_masks(query, key, value, key_padding_mask, attn_mask)
        if is_causal and attn_mask is None:
            raise RuntimeError(
                "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                "`generate_square_subsequent_mask` to create this mask."
            )
        is_causal = is_causal and key_padding_mask is None and not need_weights
        same = (query is key, key is value)
        plain = batched and all(same) and self._is_inference(query, key_padding_mask, attn_mask)
        if not batched:
            query, key, value = (x.unsqueeze(1) for x in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        elif self.batch_first:
            query, key, value = (x.transpose(1, 0) for x in (query, key, value))
        if query.shape[-1] != self.embed_dim:
            raise AssertionError(
                f"was expecting embedding dimension of {self.embed_dim}, but got {query.shape[-1]}"
            )
        q, k, v = self._projected(query, key, value, *same)
        mask = None if is_causal else self._mask(attn_mask, key_padding_mask, q, k)
        output, weights = self._attended(q, k, v, mask, need_weights, is_causal, plain)
        if weights is not None and average_attn_weights:
            weights = weights.mean(dim=1)
        if not batched:
            return output.squeeze(1), None if weights is None else weights.squeeze(0)
        return output.transpose(1, 0) if self.batch_first else output, weights

    def _projected(self, query, key, value, query_is_key, key_is_value):
        """q, k, v of (length, batch, embed_dim); one product where they are the same tensor."""
        weight, bias, size = self.in_proj_weight, self.in_proj_bias, self.embed_dim
        if weight is not None and query_is_key and key_is_value:
            joint = F.linear(query, weight, bias).unflatten(-1, (3, size)).unsqueeze(0).transpose(0, -2).squeeze(-2)
            return joint.contiguous().unbind(0)
        if weight is not None and key_is_value:
            first, second = (None, None) if bias is None else bias.split([size, 2 * size])
            q_weight, kv_weight = weight.split([size, 2 * size])
            joint = F.linear(key, kv_weight, second).unflatten(-1, (2, size)).unsqueeze(0).transpose(0, -2).squeeze(-2)
            return (F.linear(query, q_weight, first), *joint.contiguous().unbind(0))
        weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight) if weight is None else weight.chunk(3)
        biases = (None, None, None) if bias is None else bias.chunk(3)
        return tuple(F.linear(*parts) for parts in zip((query, key, value), weights, biases))

    def _is_inference(self, query, *masks):
        """Does PyTorch take its kernel for inference, whose weights are nan where a query has no key?"""
        read = (query, self.in_proj_weight, self.in_proj_bias, self.out_proj.weight, self.out_proj.bias)
        return (not self.training and self.batch_first and self.num_heads % 2 == 0 and self.bias_k is None
                and not self.add_zero_attn and all(x is not None for x in read)
                and not any(mask is not None and mask.is_floating_point() for mask in masks)
                and not torch.is_autocast_enabled()
                and not (torch.is_grad_enabled() and any(x.requires_grad for x in read)))

    def _check_masks(self, query, key, value, key_padding_mask, attn_mask):
        kind, dims = ("batched (3-D)", 3) if query.dim() == 3 else ("unbatched (2-D)", 2)
        if key.dim() != dims or value.dim() != dims:
            raise AssertionError(f"For {kind} `query`, expected `key` and `value` to be {dims}-D but found "
                                 f"{key.dim()}-D and {value.dim()}-D tensors respectively")
        if key_padding_mask is not None and key_padding_mask.dim() != dims - 1:
            raise AssertionError(f"For {kind} `query`, expected `key_padding_mask` to be `None` or {dims - 1}-D but "
                                 f"found {key_padding_mask.dim()}-D tensor instead")
        if attn_mask is None:
            return
        if attn_mask.dim() not in (2, 3):
            raise AssertionError(f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
                                 f"{attn_mask.dim()}-D tensor instead")
        if dims == 2 and attn_mask.dim() == 3:
            expected = (self.num_heads, query.shape[0], key.shape[0])
            if attn_mask.shape != expected:
                raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}")

    def _mask(self, attn_mask, key_padding_mask, q, k):
        """Both masks as one that is added to the scores, or None."""
        batch, length, keys = q.shape[1], q.shape[0], k.shape[0]
        attn_mask, key_padding_mask = (_added(mask, name, q.dtype) for mask, name in (
            (attn_mask, "attn_mask"), (key_padding_mask, "key_padding_mask")))
        if attn_mask is not None:
            shape = (length, keys) if attn_mask.dim() == 2 else (batch * self.num_heads, length, keys)
            if tuple(attn_mask.shape) != shape:
                raise RuntimeError(
                    f"The shape of the {attn_mask.dim()}D attn_mask is {attn_mask.shape}, but should be {shape}."
                )
            attn_mask = attn_mask.unsqueeze(0) if attn_mask.dim() == 2 else attn_mask
        more = (self.bias_k is not None) + self.add_zero_attn  # extra keys that no mask hides
        attn_mask, key_padding_mask = (mask if mask is None or not more else F.pad(mask, (0, more))
                                       for mask in (attn_mask, key_padding_mask))
        if key_padding_mask is None:
            return attn_mask
        for place, size in enumerate((batch, keys + more)):
            if key_padding_mask.shape[place] != size:
                raise AssertionError(f"Expected key_padded_mask.shape[{place}] to be {size}, but got "
                                     f"{key_padding_mask.shape[place]}")
        padding = key_padding_mask.view(batch, 1, 1, keys + more).expand(-1, self.num_heads, -1, -1)
        padding = padding.reshape(batch * self.num_heads, 1, keys + more)
        return padding if attn_mask is None else attn_mask + padding

    def merge_masks(self, attn_mask: Tensor | None, key_padding_mask: Tensor | None,
                    query: Tensor) -> tuple[Tensor | None, int | None]:
        """(the masks as one, its kind): 2 for attn_mask, alone or with padding, (N, num_heads, L, S); 1 for padding
        (N, S) alone; None for neither. query has the shape that batch_first says."""
        merged, kind = (key_padding_mask, None) if key_padding_mask is None else (key_padding_mask, 1)
        if attn_mask is None:
            return merged, kind
        batch, keys, _ = query.shape
        merged = attn_mask.view(batch, -1, keys, keys) if attn_mask.dim() == 3 else (
            attn_mask.view(1, 1, keys, keys).expand(batch, self.num_heads, -1, -1))
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(batch, 1, 1, keys).expand(-1, self.num_heads, -1, -1)
        return merged, 2

    def _attended(self, q, k, v, mask, need_weights, is_causal, plain):
        length, batch, size = q.shape
        if self.bias_k is not None:
            k, v = torch.cat([k, self.bias_k.repeat(1, batch, 1)]), torch.cat([v, self.bias_v.repeat(1, batch, 1)])
        heads = batch * self.num_heads
        q, k, v = (x.contiguous().view(-1, heads, self.head_dim).transpose(0, 1) for x in (q, k, v))
        if self.add_zero_attn:
            k, v = (torch.cat([x, torch.zeros((heads, 1, self.head_dim), dtype=x.dtype, device=x.device)], dim=1)
                    for x in (k, v))
        dropout = self.dropout if self.training else 0.0
        if not need_weights and not plain:
            q, k, v = (x.view(batch, self.num_heads, -1, self.head_dim) for x in (q, k, v))
            if mask is not None:
                mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.view(batch, self.num_heads, -1, mask.shape[-1])
            mixed = F.scaled_dot_product_attention(q, k, v, mask, dropout, is_causal)
            mixed = mixed.permute(2, 0, 1, 3).contiguous()
            return self.out_proj(mixed.view(length * batch, size)).view(length, batch, size), None
        q = q * math.sqrt(1.0 / self.head_dim)
        scores = torch.bmm(q, k.transpose(-2, -1)) if mask is None else torch.baddbmm(mask, q, k.transpose(-2, -1))
        weights = F.softmax(scores, dim=-1)
        weights = F.dropout(weights, dropout) if dropout > 0 else weights
        mixed = torch.bmm(weights, v)
        mixed = mixed.transpose(0, 1).contiguous().view(length * batch, size)
        output = self.out_proj(mixed).view(length, batch, size)
        return output, weights.view(batch, self.num_heads, length, -1) if need_weights else None


def _added(mask, name, dtype):
    """A mask as numbers to add: −inf where it is True."""
    if mask is None or mask.is_floating_point():
        return mask
    if mask.dtype != torch.bool:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill_(mask, float("-inf"))
