"""Adam (torch.optim.adam)."""

from __future__ import annotations

from typing import Any, Callable, Iterable

import glassgrad as torch
from glassgrad._C import Tensor, _optim
from glassgrad.optim.optimizer import Optimizer, check_not_negative, refuse


class Adam(Optimizer):
    """With running means m of the gradient g and v of its square, both corrected for having begun at 0:
    p −= lr·m/(√v + eps). weight_decay·p is part of g.
    """

    _decoupled = False  # the weight decay is part of the gradient
    _flags = ("maximize", "foreach")  # the order in which groups print them

    def __init__(self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
                 maximize: bool = False, capturable: bool = False, differentiable: bool = False,
                 fused: bool | None = None) -> None:
        check_not_negative(lr, "learning rate")
        check_not_negative(eps, "epsilon value")
        for i in range(2):
            if not 0.0 <= betas[i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
        check_not_negative(weight_decay, "weight_decay value")
        refuse(type(self).__name__, amsgrad=amsgrad, capturable=capturable, differentiable=differentiable)
        flags = {"maximize": maximize, "foreach": foreach}
        super().__init__(params, dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
            **{name: flags[name] for name in self._flags},
            capturable=capturable, differentiable=differentiable, fused=fused,
        ))

    @torch.no_grad()
    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:
        loss = self._loss_of(closure)
        for group, params, grads in self._with_gradients():
            states = [self._state_of(param) for param in params]
            _optim.adam_(
                params, grads, [state["exp_avg"] for state in states], [state["exp_avg_sq"] for state in states],
                [state["step"] for state in states], group["lr"], *group["betas"], group["eps"],
                group["weight_decay"], self._decoupled,
            )
        return loss

    def _state_of(self, param: Tensor) -> dict[str, Any]:
        state = self.state[param]
        if not state:
            state["step"] = torch.tensor(0.0, device="cpu")
            state["exp_avg"] = torch.zeros(param.shape, dtype=param.dtype, device=param.device)
            state["exp_avg_sq"] = torch.zeros(param.shape, dtype=param.dtype, device=param.device)
        return state
