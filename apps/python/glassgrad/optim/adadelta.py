"""Adadelta (torch.optim.adadelta)."""

from __future__ import annotations

from typing import Any, Iterable

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad.optim.optimizer import OneByOne, _get_value, check_not_negative, check_rate


class Adadelta(OneByOne):
    """p −= lr·d, d = √(u + eps)/√(v + eps)·g, with running means v of g² and u of d²: v = rho·v + (1 − rho)·g².

    weight_decay·p is part of g.
    """

    _capturable_on = ["cuda", "xpu", "hpu", "privateuseone"]
    _newer = dict(foreach=None, maximize=False, differentiable=False, capturable=False)

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 1.0, rho: float = 0.9, eps: float = 1e-6,
                 weight_decay: float = 0, foreach: bool | None = None, *, capturable: bool = False,
                 maximize: bool = False, differentiable: bool = False) -> None:
        check_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative(eps, "epsilon value")
        check_not_negative(weight_decay, "weight_decay value")
        super().__init__(params, dict(
            lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize, capturable=capturable,
            foreach=foreach, differentiable=differentiable,
        ))

    @staticmethod
    def _fresh(group, param):
        return {name: torch.zeros_like(param, requires_grad=False) for name in ("square_avg", "acc_delta")}

    @staticmethod
    def _update(group, param, grad, state):
        rho, eps = group["rho"], group["eps"]
        state["square_avg"].mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = state["acc_delta"].add(eps).sqrt_().div(state["square_avg"].add(eps).sqrt_()).mul(grad)
        state["acc_delta"].mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-_get_value(group["lr"]))
