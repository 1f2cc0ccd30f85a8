"""Rows of a table by number, and sums of them (torch.nn.modules.sparse)."""

from __future__ import annotations

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad.nn import functional as F
from glassgrad.nn import init
from glassgrad.nn._embedding import SPARSE
from glassgrad.nn.modules.module import Module


class _Table(Module):
    def _make(self, num_embeddings, embedding_dim, padding_idx, weight, frozen, device, dtype):
        """weight, drawn if it is None, and what both kinds of tables keep."""
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        if padding_idx is not None:
            word = "Padding_idx" if isinstance(self, Embedding) else "padding_idx"
            assert -num_embeddings <= padding_idx < num_embeddings, f"{word} must be within num_embeddings"
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        if weight is None:
            weight = torch.empty((num_embeddings, embedding_dim), device=device, dtype=dtype)
            self.weight = Parameter(weight, requires_grad=not frozen)
            self.reset_parameters()
        else:
            assert list(weight.shape) == [num_embeddings, embedding_dim], (
                "Shape of weight does not match num_embeddings and embedding_dim"
            )
            self.weight = Parameter(weight, requires_grad=not frozen)

    def _set(self, max_norm, norm_type, scale_grad_by_freq, sparse):
        if sparse:
            raise NotImplementedError(SPARSE)
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse

    def reset_parameters(self) -> None:
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx].fill_(0)

    def _settings(self):
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        parts += [f"{name}={getattr(self, name)}" for name in ("padding_idx", "max_norm")
                  if getattr(self, name) is not None]
        parts += [f"norm_type={self.norm_type}"] if self.norm_type != 2 else []
        parts += ["scale_grad_by_freq=True"] if self.scale_grad_by_freq is not False else []
        return parts


class Embedding(_Table):
    """Row input[…] of weight: int64 (…) → (…, embedding_dim).

    weight (num_embeddings, embedding_dim) is drawn from N(0, 1); row padding_idx is then 0 and gets no gradient.
    max_norm: a row that is read and whose norm_type-norm is greater is first shortened to it, in place.
    scale_grad_by_freq: the gradient of a row is divided by how often it is read.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
                 max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
                 sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False, device=None,
                 dtype=None) -> None:
        super().__init__()
        self._set(max_norm, norm_type, scale_grad_by_freq, sparse)
        self._make(num_embeddings, embedding_dim, padding_idx, _weight, _freeze, device, dtype)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None,
                        max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
                        sparse: bool = False) -> Embedding:
        """Of a weight that there is already, which is not learned if frozen."""
        assert embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional"
        return cls(*embeddings.shape, padding_idx=padding_idx, max_norm=max_norm, norm_type=norm_type,
                   scale_grad_by_freq=scale_grad_by_freq, sparse=sparse, _weight=embeddings, _freeze=freeze)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
                           self.scale_grad_by_freq, self.sparse)

    def extra_repr(self) -> str:
        return ", ".join(self._settings())


class EmbeddingBag(_Table):
    """The sum, mean or max of the rows of each bag: int64 (B, N) → (B, embedding_dim), or (N) with offsets (B), the
    places where the bags begin.

    weight as in Embedding. mode: "sum", "mean" or "max". include_last_offset: the last offset is the end of the last
    bag. padding_idx: a row that counts as not there. forward(input, offsets, per_sample_weights).
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
                 scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
                 _weight: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None,
                 device=None, dtype=None) -> None:
        super().__init__()
        self._set(max_norm, norm_type, scale_grad_by_freq, sparse)
        self.mode, self.include_last_offset = mode, include_last_offset
        self._make(num_embeddings, embedding_dim, padding_idx, _weight, False, device, dtype)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, max_norm: float | None = None,
                        norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean",
                        sparse: bool = False, include_last_offset: bool = False,
                        padding_idx: int | None = None) -> EmbeddingBag:
        """Of a weight that there is already, which is not learned if frozen."""
        assert embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional"
        made = cls(*embeddings.shape, _weight=embeddings, max_norm=max_norm, norm_type=norm_type,
                   scale_grad_by_freq=scale_grad_by_freq, mode=mode, sparse=sparse,
                   include_last_offset=include_last_offset, padding_idx=padding_idx)
        made.weight.requires_grad = not freeze
        return made

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
                               self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx)

    def extra_repr(self) -> str:
        size, *settings = self._settings()
        padding = [part for part in settings if part.startswith("padding_idx=")]
        return ", ".join([size, *(part for part in settings if part not in padding), f"mode={self.mode!r}", *padding])
