"""Adam with a weight decay of its own (torch.optim.adamw)."""

from __future__ import annotations

from typing import Any, Iterable

from glassgrad.optim.adam import Adam


class AdamW(Adam):
    """Adam, but p ·= 1 − lr·weight_decay before each step, and no weight decay in the gradient."""

    _decoupled = True

    def __init__(self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, **settings) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **settings)
