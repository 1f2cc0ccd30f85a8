"""Initial values of parameters (torch.nn.init): fills in place, outside the graph. Each gives the tensor back."""

from __future__ import annotations

import math

import glassgrad as torch
from glassgrad import _C
from glassgrad._C import Generator, Tensor, _nn

globals().update({name: value for name, value in vars(_C.init).items() if not name.startswith("_")})


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The gain that keeps the variance through a nonlinearity: 'tanh', 'relu', 'leaky_relu' of slope param, …"""
    if param is None:
        param = 0.01
    elif nonlinearity == "leaky_relu" and (isinstance(param, bool) or not isinstance(param, (int, float))):
        raise ValueError(f"negative_slope {param} not a valid number")
    gain = _nn.calculate_gain(nonlinearity, param)
    return 1 if gain == 1 and nonlinearity != "leaky_relu" else gain  # an int, as in PyTorch


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """gain · a matrix whose rows, or columns where they are fewer, are at right angles and of length 1: made from a
    matrix drawn from N(0, 1). The dimensions after the first count as one.
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    drawn = tensor.new_empty((rows, tensor.numel() // rows)).normal_(0, 1, generator=generator)
    columns = (drawn.t() if rows < drawn.size(1) else drawn).double().clone()
    for k in range(columns.size(1)):
        column, before = columns[:, k], columns[:, :k]
        for _ in range(2):  # the second pass removes the rounding error of the first
            column.sub_(before @ (before.t() @ column))
        column.div_(column.norm())
    with torch.no_grad():
        return tensor.copy_((columns.t() if rows < drawn.size(1) else columns).view_as(tensor)).mul_(gain)


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many numbers reach each output, and how many each input reaches: programs know it by this name."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    places = math.prod(tensor.shape[2:])
    return tensor.size(1) * places, tensor.size(0) * places
