"""Masks of the future for attention (torch.nn.attention.bias)."""

import enum
import warnings

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad._names import missing, present_as_torch
from glassgrad.nn import functional as F

_ONLY = "CausalBias only supports scaled_dot_product_attention"


class CausalVariant(enum.IntEnum):
    """The corner of the mask from which its diagonal starts."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias:
    """A mask (seq_len_q, seq_len_kv) for scaled_dot_product_attention alone. Prints as the bool tensor it means."""

    __class__ = property(lambda self: Tensor)  # for isinstance()

    def __init__(self, variant, seq_len_q, seq_len_kv):
        assert isinstance(variant, CausalVariant)
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant is CausalVariant.LOWER_RIGHT:
            warnings.warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!",
                          stacklevel=3)

    def _materialize(self, device=None):
        """The bool tensor: True where a query sees a key."""
        diagonal = self.seq_len_kv - self.seq_len_q if self.variant is CausalVariant.LOWER_RIGHT else 0
        return torch.ones(self.seq_len_q, self.seq_len_kv, dtype=torch.bool, device=device or "cpu").tril(diagonal)

    def __repr__(self):
        return repr(self._materialize())

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError(_ONLY)

    def _refuse(self, *_):
        raise NotImplementedError(_ONLY)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __getitem__ = __invert__ = _refuse

    @staticmethod
    def stand_in(name, *args, **kwargs):
        """What a function of torch, which takes tensors, gives of a mask of this class."""
        if name != "scaled_dot_product_attention":
            raise NotImplementedError(_ONLY)
        return _attention(*args, **kwargs)


def _attention(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    if is_causal:
        raise ValueError("CausalBias should not be used with causal=True")
    square = attn_mask.seq_len_q == attn_mask.seq_len_kv
    mask = None if square or attn_mask.variant is CausalVariant.UPPER_LEFT else attn_mask._materialize(query.device)
    return F.scaled_dot_product_attention(query, key, value, mask, dropout_p, mask is None, scale=scale,
                                          enable_gqa=enable_gqa)


def causal_upper_left(*size):
    """A mask (L, S): query i takes part in keys 0 … i, as with is_causal."""
    assert len(size) == 2, "causal_upper_left only supports 2D tensors"
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size):
    """A mask (L, S): the last query sees every key, each one before it a key less."""
    assert len(size) == 2, "causal_lower_right only supports 2D tensors"
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)


present_as_torch(globals())
__getattr__ = missing("torch.nn.attention.bias", globals())
