"""All parameters as one vector (torch.nn.utils.convert_parameters)."""

from __future__ import annotations

from collections.abc import Iterable

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad._names import typename


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Every parameter's elements, one after the other."""
    return torch.cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """The same back: each parameter becomes a view of its part of vec."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    begin = 0
    for parameter in parameters:
        end = begin + parameter.numel()
        parameter.data = vec[begin:end].view_as(parameter).data
        begin = end
