"""Initial values of parameters (torch.nn.init): fills in place, outside the graph. Each gives the tensor back."""

from __future__ import annotations

import math
import warnings

import glassgrad as torch
from glassgrad._C import Generator, Tensor, _nn

_MODES = ["fan_in", "fan_out"]


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The gain that keeps the variance through a nonlinearity: 'tanh', 'relu', 'leaky_relu' of slope param, …"""
    if param is None:
        param = 0.01
    elif nonlinearity == "leaky_relu" and (isinstance(param, bool) or not isinstance(param, (int, float))):
        raise ValueError(f"negative_slope {param} not a valid number")
    gain = _nn.calculate_gain(nonlinearity, param)
    return 1 if gain == 1 and nonlinearity != "leaky_relu" else gain  # PyTorch's, an int


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """U(a, b)."""
    with torch.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """N(mean, std²)."""
    with torch.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
                  generator: Generator | None = None) -> Tensor:
    """N(mean, std²) without its parts outside [a, b]."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    return _nn.trunc_normal_(tensor, mean, std, a, b, generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """val everywhere."""
    with torch.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """1 on the diagonal of a matrix, else 0."""
    return _nn.eye_(tensor)


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
        for _ in range(2):  # the second time takes away what rounding left
            column.sub_(before @ (before.t() @ column))
        column.div_(column.norm())
    with torch.no_grad():
        return tensor.copy_((columns.t() if rows < drawn.size(1) else columns).view_as(tensor)).mul_(gain)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """U(−b, b) with b = gain·√(6/(fan_in + fan_out))."""
    return _nn.xavier_uniform_(tensor, gain, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """N(0, gain²·2/(fan_in + fan_out))."""
    return _nn.xavier_normal_(tensor, gain, generator)


def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                     generator: Generator | None = None) -> Tensor:
    """U(−b, b) with b = gain·√(3/fan); gain is that of the nonlinearity that follows, for leaky_relu of slope a."""
    return _kaiming(_nn.kaiming_uniform_, tensor, a, mode, nonlinearity, generator)


def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                    generator: Generator | None = None) -> Tensor:
    """N(0, gain²/fan); gain is that of the nonlinearity that follows, for leaky_relu of slope a."""
    return _kaiming(_nn.kaiming_normal_, tensor, a, mode, nonlinearity, generator)


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many numbers reach each output, and how many each input reaches: programs know it by this name."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    places = math.prod(tensor.shape[2:])
    return tensor.size(1) * places, tensor.size(0) * places


def _kaiming(fill, tensor, a, mode, nonlinearity, generator):
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return tensor
    if nonlinearity == "leaky_relu":
        calculate_gain(nonlinearity, a)  # which refuses what is no slope
    if mode.lower() not in _MODES:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {_MODES}")
    return fill(tensor, a, mode.lower(), nonlinearity, generator)
