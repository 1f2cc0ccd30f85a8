"""Layers that centre and scale (torch.nn.modules.normalization)."""

from __future__ import annotations

from collections.abc import Sequence

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad.nn import functional as F
from glassgrad.nn import init
from glassgrad.nn.modules.module import Module


class LayerNorm(Module):
    """(x − mean)/√(variance + eps)·weight + bias over the last dimensions, normalized_shape; the variance is biased.

    weight of ones and bias of zeros, both of normalized_shape; None without elementwise_affine, bias also with
    bias=False.
    """

    def __init__(self, normalized_shape: int | Sequence[int], eps: float = 1e-5, elementwise_affine: bool = True,
                 bias: bool = True, device=None, dtype=None) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, there_is in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            made = Parameter(torch.empty(self.normalized_shape, device=device, dtype=dtype)) if there_is else None
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class RMSNorm(Module):
    """x/√(mean of x² + eps)·weight over the last dimensions, normalized_shape; eps None: the dtype's own.

    weight of ones, of normalized_shape; None without elementwise_affine.
    """

    def __init__(self, normalized_shape: int | Sequence[int], eps: float | None = None, elementwise_affine: bool = True,
                 device=None, dtype=None) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        made = Parameter(torch.empty(self.normalized_shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """(x − mean)/√(variance + eps)·weight + bias, mean and variance of each of num_groups groups of channels of an
    example: (N, num_channels, …).

    weight of ones and bias of zeros, one a channel; None without affine.
    """

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device=None,
                 dtype=None) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        for name in ("weight", "bias"):
            made = Parameter(torch.empty(num_channels, device=device, dtype=dtype)) if affine else None
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"
