"""Adadelta (torch.optim.adadelta)."""

from __future__ import annotations

from typing import Any, Iterable

import glassgrad as torch
from glassgrad.optim.optimizer import OneByOne, check_not_negative, refuse


class Adadelta(OneByOne):
    """p −= lr·d, d = √(u + eps)/√(v + eps)·g, with running means v of g² and u of d²: v = rho·v + (1 − rho)·g².

    weight_decay·p is part of g.
    """

    def __init__(self, params: Iterable[Any], lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6,
                 weight_decay: float = 0, foreach: bool | None = None, *, capturable: bool = False,
                 maximize: bool = False, differentiable: bool = False) -> None:
        check_not_negative(lr, "learning rate")
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative(eps, "epsilon value")
        check_not_negative(weight_decay, "weight_decay value")
        refuse("Adadelta", capturable=capturable, differentiable=differentiable)
        super().__init__(params, dict(
            lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize, capturable=capturable,
            foreach=foreach, differentiable=differentiable,
        ))

    @staticmethod
    def _fresh(group, param):
        return {"square_avg": torch.zeros_like(param), "acc_delta": torch.zeros_like(param)}

    @staticmethod
    def _update(group, param, grad, state):
        rho, eps = group["rho"], group["eps"]
        state["square_avg"].mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = state["acc_delta"].add(eps).sqrt_().div_(state["square_avg"].add(eps).sqrt_()).mul_(grad)
        state["acc_delta"].mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-group["lr"])
