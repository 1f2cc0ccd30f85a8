"""Limits to gradients (torch.nn.utils.clip_grad)."""

from __future__ import annotations

from collections.abc import Iterable

import glassgrad as torch
from glassgrad._C import Tensor, _nn


def _with_gradient(parameters):
    if isinstance(parameters, Tensor):
        parameters = [parameters]
    return [parameter for parameter in parameters if parameter.grad is not None]


def clip_grad_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """Scales all gradients by one factor, min(max_norm/(total + 1e-6), 1); gives total, the norm of all of them.

    parameters: tensors, or one. norm_type is p of (Σ |g|^p)^(1/p), inf for the greatest.
    """
    parameters, norm_type = _with_gradient(parameters), float(norm_type)
    if norm_type == 2:
        return _nn.clip_grad_norm_(parameters, max_norm, error_if_nonfinite)
    if not parameters:
        return torch.tensor(0.0)
    norm = torch.linalg.vector_norm
    with torch.no_grad():
        total = norm(torch.stack([norm(parameter.grad, norm_type) for parameter in parameters]), norm_type)
        if error_if_nonfinite and not total.isfinite():
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
                "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
                "`error_if_nonfinite=False`"
            )
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for parameter in parameters:
            parameter.grad.mul_(factor)
    return total


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Every element of every gradient into [−clip_value, clip_value]."""
    with torch.no_grad():
        for parameter in _with_gradient(parameters):
            parameter.grad.clamp_(min=-float(clip_value), max=float(clip_value))
