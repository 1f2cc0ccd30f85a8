"""RAdam (torch.optim.radam)."""

from __future__ import annotations

from typing import Any, Iterable

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad.optim.optimizer import OneByOne, _get_value, check_betas, check_not_negative, check_rate


class RAdam(OneByOne):
    """Adam that divides by √v only when enough steps tell of v: with ρ∞ = 2/(1 − beta2) − 1 and
    ρ = ρ∞ − 2·step·beta2^step/(1 − beta2^step), p −= lr·m·r/(√v + eps) for ρ > 5, p −= lr·m before;
    r = √((ρ − 4)(ρ − 2)ρ∞/((ρ∞ − 4)(ρ∞ − 2)ρ)).

    weight_decay·p is part of the gradient, or, with decoupled_weight_decay, p ·= 1 − lr·weight_decay before each step.
    """

    _newer = dict(foreach=None, maximize=False, differentiable=False, decoupled_weight_decay=False, capturable=False)

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, decoupled_weight_decay: bool = False, *,
                 foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
                 differentiable: bool = False) -> None:
        check_rate(lr)
        check_not_negative(eps, "epsilon value")
        check_betas(betas)
        check_not_negative(weight_decay, "weight_decay value")
        super().__init__(params, dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize, foreach=foreach,
            capturable=capturable, decoupled_weight_decay=decoupled_weight_decay, differentiable=differentiable,
        ))

    @staticmethod
    def _fresh(group, param):
        return {name: torch.zeros_like(param, requires_grad=False) for name in ("exp_avg", "exp_avg_sq")}

    @staticmethod
    def _update(group, param, grad, state):
        (beta1, beta2), step = group["betas"], _get_value(state["step"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        correction = 1 - beta2**step
        most = 2 / (1 - beta2) - 1
        length = most - 2 * step * (beta2**step) / correction
        way = mean / (1 - beta1**step) * group["lr"]
        if length > 5.0:
            rate = correction**0.5 / square.sqrt().add(group["eps"])
            way = way * rate * ((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)) ** 0.5
        param.add_(way, alpha=-1.0)
