"""Masks of the future for attention (torch.nn.attention.bias). PyTorch makes them a class of their own."""

import glassgrad as torch
from glassgrad._C import Tensor


def causal_upper_left(*size: int) -> Tensor:
    """A bool mask (L, S): query i takes part in keys 0 … i, as with is_causal."""
    return _lower(size, 0)


def causal_lower_right(*size: int) -> Tensor:
    """A bool mask (L, S): the last query sees every key, each one before it a key less."""
    return _lower(size, size[-1] - size[0])


def _lower(size, diagonal):
    assert len(size) == 2, "only two dimensions are supported"
    return torch.ones(size, dtype=torch.bool).tril(diagonal)
