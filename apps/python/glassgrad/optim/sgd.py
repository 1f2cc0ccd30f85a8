"""Gradient descent (torch.optim.sgd)."""

from __future__ import annotations

from typing import Any, Callable, Iterable

import glassgrad as torch
from glassgrad._C import Tensor, _optim
from glassgrad.optim.optimizer import Optimizer, refuse


class SGD(Optimizer):
    """p −= lr·g, where g is the gradient, plus weight_decay·p. With momentum, g becomes a running
    buffer = momentum·buffer + (1 − dampening)·g, or, with nesterov, g + momentum·buffer.
    """

    def __init__(self, params: Iterable[Any], lr: float = 1e-3, momentum: float = 0, dampening: float = 0,
                 weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, differentiable: bool = False, fused: bool | None = None) -> None:
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        refuse("SGD", differentiable=differentiable)
        super().__init__(params, dict(
            lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov,
            maximize=maximize, foreach=foreach, differentiable=differentiable, fused=fused,
        ))

    @torch.no_grad()
    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:
        loss = self._loss_of(closure)
        for group, params, grads in self._with_gradients():
            states = [self.state[param] if group["momentum"] != 0 else {} for param in params]
            buffers = _optim.sgd_(
                params, grads, [state.get("momentum_buffer") for state in states], group["lr"], group["momentum"],
                group["dampening"], group["weight_decay"], group["nesterov"],
            )
            for state, buffer in zip(states, buffers):
                state["momentum_buffer"] = buffer
        return loss
