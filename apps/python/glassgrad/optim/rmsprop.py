"""RMSprop (torch.optim.rmsprop)."""

from __future__ import annotations

from typing import Any, Iterable

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad.optim.optimizer import OneByOne, _get_value, check_not_negative, check_rate


class RMSprop(OneByOne):
    """p −= lr·g/(√v + eps), v the running mean of g²: v = alpha·v + (1 − alpha)·g². weight_decay·p is part of g.

    centered: v − (running mean of g)² in its place. With momentum the step is lr·b, b = momentum·b + g/(√v + eps).
    """

    _newer = dict(momentum=0, centered=False, foreach=None, maximize=False, differentiable=False, capturable=False)

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
                 weight_decay: float = 0, momentum: float = 0, centered: bool = False, capturable: bool = False,
                 foreach: bool | None = None, maximize: bool = False, differentiable: bool = False) -> None:
        check_rate(lr)
        check_not_negative(eps, "epsilon value")
        check_not_negative(momentum, "momentum value")
        check_not_negative(weight_decay, "weight_decay value")
        check_not_negative(alpha, "alpha value")
        super().__init__(params, dict(
            lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered, weight_decay=weight_decay,
            capturable=capturable, foreach=foreach, maximize=maximize, differentiable=differentiable,
        ))

    @staticmethod
    def _fresh(group, param):
        kept = {"square_avg": True, "momentum_buffer": group["momentum"] > 0, "grad_avg": group["centered"]}
        return {name: torch.zeros_like(param, requires_grad=False) for name, is_kept in kept.items() if is_kept}

    @staticmethod
    def _update(group, param, grad, state):
        alpha = group["alpha"]
        state["square_avg"].mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        square = state["square_avg"]
        if group["centered"]:
            state["grad_avg"].lerp_(grad, 1 - alpha)
            square = square.addcmul(state["grad_avg"], state["grad_avg"], value=-1)
        root = square.sqrt().add(group["eps"])
        if group["momentum"] > 0:
            state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, root)
            param.add_(state["momentum_buffer"], alpha=-_get_value(group["lr"]))
        else:
            param.addcdiv_(grad, root, value=-_get_value(group["lr"]))
