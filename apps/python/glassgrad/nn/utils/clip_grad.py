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

    parameters: tensors, or one. norm_type is 2, the only norm there is.
    """
    if norm_type != 2:
        raise NotImplementedError(f"clip_grad_norm_ of glassgrad knows norm_type=2 only, not {norm_type}")
    return _nn.clip_grad_norm_(_with_gradient(parameters), max_norm, error_if_nonfinite)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Every element of every gradient into [−clip_value, clip_value]."""
    with torch.no_grad():
        for parameter in _with_gradient(parameters):
            parameter.grad.clamp_(min=-float(clip_value), max=float(clip_value))
