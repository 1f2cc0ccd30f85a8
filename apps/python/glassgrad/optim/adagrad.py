"""Adagrad (torch.optim.adagrad)."""

from __future__ import annotations

from typing import Any, Iterable

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad.optim.optimizer import OneByOne, _get_value, check_fused, check_not_negative, check_rate


class Adagrad(OneByOne):
    """p −= lr/(1 + (step − 1)·lr_decay)·g/(√s + eps), s = initial_accumulator_value + the sum of all g² so far.

    weight_decay·p is part of g.
    """

    _newer = dict(foreach=None, maximize=False, differentiable=False, fused=None)

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
                 initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
                 maximize: bool = False, differentiable: bool = False, fused: bool | None = None) -> None:
        check_rate(lr)
        check_not_negative(lr_decay, "lr_decay value")
        check_not_negative(weight_decay, "weight_decay value")
        check_not_negative(initial_accumulator_value, "initial_accumulator_value value")
        check_not_negative(eps, "epsilon value")
        super().__init__(params, dict(
            lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value, foreach=foreach, maximize=maximize,
            differentiable=differentiable, fused=fused,
        ))
        check_fused(fused, foreach, differentiable)
        for group in self.param_groups:
            for param in group["params"]:
                self._state_of(group, param)

    def _fresh(self, group, param):
        return {"sum": torch.full_like(param, self.defaults["initial_accumulator_value"], requires_grad=False)}

    @staticmethod
    def _update(group, param, grad, state):
        rate = group["lr"] / (1 + (state["step"].item() - 1) * group["lr_decay"])
        state["sum"].addcmul_(grad, grad, value=1)
        param.addcdiv_(grad, state["sum"].sqrt().add(group["eps"]), value=-_get_value(rate))
