"""Adam (torch.optim.adam)."""

from __future__ import annotations

from typing import Any, Iterable

import glassgrad as torch
from glassgrad._C import Tensor, _optim
from glassgrad.optim.optimizer import OneByOne, _get_value, check_betas, check_fused, check_not_negative, check_rate


class Adam(OneByOne):
    """With running means m of the gradient g and v of its square, both corrected for having begun at 0:
    p −= lr·m/(√v + eps). weight_decay·p is part of g. amsgrad: the largest v so far in place of v.
    """

    _decoupled = False  # the weight decay is part of the gradient
    _flags = ("maximize", "foreach")  # the order in which groups print them
    _newer = dict(amsgrad=False, maximize=False, foreach=None, capturable=False, differentiable=False, fused=None)

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
                 maximize: bool = False, capturable: bool = False, differentiable: bool = False,
                 fused: bool | None = None) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_rate(lr)
        check_not_negative(eps, "epsilon value")
        check_betas(betas)
        check_not_negative(weight_decay, "weight_decay value")
        _check_kind(betas, foreach and not capturable)
        flags = {"maximize": maximize, "foreach": foreach}
        super().__init__(params, dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
            **{name: flags[name] for name in self._flags},
            capturable=capturable, differentiable=differentiable, fused=fused,
        ))
        check_fused(fused, foreach, differentiable)

    def _is_decoupled(self, group):
        return self._decoupled or super()._is_decoupled(group)

    def _step_group(self, group, params, grads):
        numbers = (group["lr"], *group["betas"])
        if group["amsgrad"] or group["differentiable"] or any(isinstance(x, Tensor) for x in numbers):
            return super()._step_group(group, params, grads)
        states = [self._state_of(group, param) for param in params]
        _optim.adam_(
            params, grads, [state["exp_avg"] for state in states], [state["exp_avg_sq"] for state in states],
            [state["step"] for state in states], *numbers, group["eps"], group["weight_decay"],
            self._is_decoupled(group),
        )

    @staticmethod
    def _fresh(group, param):
        names = ["exp_avg", "exp_avg_sq"] + ["max_exp_avg_sq"] * group["amsgrad"]
        return {name: torch.zeros_like(param, requires_grad=False) for name in names}

    @staticmethod
    def _update(group, param, grad, state):
        (beta1, beta2), lr, eps = group["betas"], group["lr"], group["eps"]
        mean, square, step = state["exp_avg"], state["exp_avg_sq"], state["step"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=_get_value(1 - beta2))
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"].copy_(torch.maximum(state["max_exp_avg_sq"].clone(), square))
        step = step if group["differentiable"] else _get_value(step)
        size, root = lr / (1 - beta1**step), (1 - beta2**step) ** 0.5
        if group["differentiable"]:  # the number that mean is multiplied with may itself have a graph
            param.addcdiv_(mean, (square.sqrt() / (root * -size)).add_(eps / -size))
        else:
            param.addcdiv_(mean, (square.sqrt() / root).add_(eps), value=-_get_value(size))


def _check_kind(betas, needs_numbers):
    if not (all(isinstance(x, float) for x in betas) or all(isinstance(x, Tensor) for x in betas)):
        raise ValueError("betas must be either both floats or both Tensors")
    for i, beta in enumerate(betas):
        if isinstance(beta, Tensor) and needs_numbers:
            raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
        if isinstance(beta, Tensor) and beta.numel() != 1:
            raise ValueError(f"Tensor betas[{i}] must be 1-element")
