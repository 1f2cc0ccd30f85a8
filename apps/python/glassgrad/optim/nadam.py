"""NAdam (torch.optim.nadam)."""

from __future__ import annotations

from typing import Any, Iterable

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad.optim.optimizer import OneByOne, _get_value, check_betas, check_not_negative, check_rate


class NAdam(OneByOne):
    """Adam with Nesterov's momentum: p −= lr·((1 − μ)/(1 − Πμ)·g + ν/(1 − Πμ·ν)·m)/(√v + eps), with Adam's running
    means m and v, μ = beta1·(1 − ½·0.96^(step·momentum_decay)), ν the next μ, and Πμ the product of all μ so far.

    weight_decay·p is part of g, or, with decoupled_weight_decay, p ·= 1 − lr·weight_decay before each step.
    """

    _counts = ("step", "mu_product")
    _capturable = "params, mu_products and state_steps"
    _newer = dict(maximize=False, foreach=None, capturable=False, differentiable=False, decoupled_weight_decay=False)

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 2e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, momentum_decay: float = 4e-3,
                 decoupled_weight_decay: bool = False, *, foreach: bool | None = None, maximize: bool = False,
                 capturable: bool = False, differentiable: bool = False) -> None:
        check_rate(lr)
        check_not_negative(eps, "epsilon value")
        check_betas(betas)
        check_not_negative(weight_decay, "weight_decay value")
        check_not_negative(momentum_decay, "momentum_decay value")
        super().__init__(params, dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay,
            decoupled_weight_decay=decoupled_weight_decay, maximize=maximize, foreach=foreach, capturable=capturable,
            differentiable=differentiable,
        ))

    @staticmethod
    def _fresh(group, param):
        means = {name: torch.zeros_like(param, requires_grad=False) for name in ("exp_avg", "exp_avg_sq")}
        return {"mu_product": torch.ones_like(torch.tensor(0.0)), **means}

    @staticmethod
    def _update(group, param, grad, state):
        (beta1, beta2), lr, step = group["betas"], group["lr"], _get_value(state["step"])
        mean, square, product = state["exp_avg"], state["exp_avg_sq"], state["mu_product"]
        mu, following = (beta1 * (1.0 - 0.5 * (0.96 ** (at * group["momentum_decay"]))) for at in (step, step + 1))
        product *= mu
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        root = square.div(1 - beta2**step).sqrt().add(group["eps"])
        if group["differentiable"]:
            param.addcdiv_(grad * (-lr * (1.0 - mu) / (1.0 - product)), root)
            param.addcdiv_(mean * (-lr * following / (1.0 - product * following)), root)
        else:
            product = _get_value(product)
            param.addcdiv_(grad, root, value=_get_value(-lr * (1.0 - mu) / (1.0 - product)))
            param.addcdiv_(mean, root, value=_get_value((-lr * following) / (1.0 - product * following)))
