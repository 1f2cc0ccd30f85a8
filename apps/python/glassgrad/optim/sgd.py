"""Gradient descent (torch.optim.sgd)."""

from __future__ import annotations

from typing import Any, Iterable

from glassgrad._C import Tensor, _optim
from glassgrad.optim.optimizer import OneByOne, _get_value, check_fused


class SGD(OneByOne):
    """p −= lr·g, where g is the gradient, plus weight_decay·p. With momentum, g becomes a running
    buffer = momentum·buffer + (1 − dampening)·g, or, with nesterov, g + momentum·buffer.
    """

    _newer = dict(nesterov=False, maximize=False, foreach=None, differentiable=False, fused=False)

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 1e-3, momentum: float = 0, dampening: float = 0,
                 weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, differentiable: bool = False, fused: bool | None = None) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, dict(
            lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov,
            maximize=maximize, foreach=foreach, differentiable=differentiable, fused=fused,
        ))
        check_fused(fused, foreach, differentiable)

    def _step_group(self, group, params, grads):
        if group["differentiable"]:
            return self._step_each(group, params, grads)
        states = [self._counted(group, param) for param in params]
        buffers = _optim.sgd_(
            params, grads, [state.get("momentum_buffer") for state in states], _get_value(group["lr"]),
            group["momentum"], group["dampening"], group["weight_decay"], group["nesterov"],
        )
        for state, buffer in zip(states, buffers):
            state["momentum_buffer"] = buffer

    def _counted(self, group, param):
        """Its momentum; steps are not counted."""
        return self.state[param] if group["momentum"] != 0 else {}

    @staticmethod
    def _update(group, param, grad, state):
        if group["momentum"] != 0:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = grad.clone().detach()
            else:
                buffer.mul_(group["momentum"]).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(buffer, alpha=group["momentum"]) if group["nesterov"] else buffer
        param.add_(grad, alpha=-_get_value(group["lr"]))
