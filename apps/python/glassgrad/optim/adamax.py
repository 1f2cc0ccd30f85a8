"""Adamax (torch.optim.adamax)."""

from __future__ import annotations

from typing import Any, Iterable

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad.optim.optimizer import OneByOne, _get_value, check_betas, check_not_negative, check_rate


class Adamax(OneByOne):
    """p −= lr/(1 − beta1^step)·m/u, with the running mean m of the gradient g and u = max(beta2·u, |g| + eps).

    weight_decay·p is part of g.
    """

    _newer = dict(foreach=None, maximize=False, differentiable=False, capturable=False)

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 2e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False,
                 differentiable: bool = False, capturable: bool = False) -> None:
        check_rate(lr)
        check_not_negative(eps, "epsilon value")
        check_betas(betas)
        check_not_negative(weight_decay, "weight_decay value")
        super().__init__(params, dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach, maximize=maximize,
            differentiable=differentiable, capturable=capturable,
        ))

    @staticmethod
    def _fresh(group, param):
        return {name: torch.zeros_like(param, requires_grad=False) for name in ("exp_avg", "exp_inf")}

    @staticmethod
    def _update(group, param, grad, state):
        (beta1, beta2), step = group["betas"], _get_value(state["step"])
        mean, greatest = state["exp_avg"], state["exp_inf"]
        mean.lerp_(grad, 1 - beta1)
        greatest.copy_(torch.maximum(greatest * beta2, grad.abs() + group["eps"]))
        param.addcdiv_(mean, greatest, value=-_get_value(group["lr"] / (1 - beta1**step)))
