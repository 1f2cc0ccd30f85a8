"""Gradients of half precision, kept from becoming 0 (torch.amp.grad_scaler)."""

from __future__ import annotations

import warnings


class GradScaler:
    """Scales the loss by 1. The gradients of float32 parameters are float32; a float16 step between may round to 0.

    A step whose gradients have an inf or a nan is left out where the scaler is enabled, as with any other scale.
    """

    def __init__(self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0,
                 backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True) -> None:
        from glassgrad import cuda
        if enabled and str(device).startswith("cuda") and not cuda.is_available():
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            enabled = False
        self._device, self._enabled = device, enabled
        self._factors = growth_factor, backoff_factor
        self._interval = growth_interval

    def scale(self, outputs):
        """The outputs, times 1."""
        return outputs

    def unscale_(self, optimizer) -> None:
        """The gradients are what they should be."""

    def step(self, optimizer, *args, **kwargs):
        """optimizer.step(), unless the scaler is enabled and a gradient is not finite."""
        groups = optimizer.param_groups if self._enabled else []
        gradients = (p.grad for group in groups for p in group["params"] if p.grad is not None)
        if all(bool(gradient.isfinite().all()) for gradient in gradients):
            return optimizer.step(*args, **kwargs)
        return None

    def update(self, new_scale=None) -> None:
        """The scale stays 1."""

    def get_scale(self) -> float:
        return 1.0

    def get_growth_factor(self) -> float:
        return self._factors[0]

    def get_backoff_factor(self) -> float:
        return self._factors[1]

    def get_growth_interval(self) -> int:
        return self._interval

    def is_enabled(self) -> bool:
        return self._enabled

    def state_dict(self) -> dict:
        """Empty where it is not enabled."""
        if not self._enabled:
            return {}
        growth, backoff = self._factors
        return {"scale": 1.0, "growth_factor": growth, "backoff_factor": backoff, "growth_interval": self._interval,
                "_growth_tracker": 0}

    def load_state_dict(self, state_dict: dict) -> None:
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._factors = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._interval = state_dict["growth_interval"]
