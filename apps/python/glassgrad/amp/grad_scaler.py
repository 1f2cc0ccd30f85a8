"""Gradients of half precision, kept from becoming 0 (torch.amp.grad_scaler)."""

from __future__ import annotations

import enum
import warnings
from collections import defaultdict
from collections.abc import Iterable

from glassgrad import _C
from glassgrad._C import Tensor


class OptState(enum.Enum):
    """What has been done to an optimizer's gradients since the last update()."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _fresh():
    return {"stage": OptState.READY, "found_inf_per_device": {}}


def _number(value, dtype, device):
    return _C.placed(_C.tensor(value, dtype), device)


class GradScaler:
    """Multiplies a loss, and divides the gradients, by a scale that grows until a gradient is not finite.

    That step is left out, and the scale becomes smaller.
    """

    def __init__(self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0,
                 backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True) -> None:
        from glassgrad import cuda
        self._device, self._enabled = device, enabled
        if enabled and device == "cuda" and not cuda.is_available():
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if not self._enabled:
            return
        assert growth_factor > 1.0, "The growth factor must be > 1.0."
        assert backoff_factor < 1.0, "The backoff factor must be < 1.0."
        self._init_scale, self._init_growth_tracker = init_scale, 0
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        # Created on the device of the first loss.
        self._scale = self._growth_tracker = None
        self._per_optimizer_states = defaultdict(_fresh)

    def _check_scaled(self, name):
        fix = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
        assert self._scale is not None, f"Attempted {name} but _scale is None.  {fix}"

    # ---- the loss
    def scale(self, outputs):
        """The outputs, a tensor or what holds tensors, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._scale = _number(self._init_scale, _C.float32, outputs.device)
                self._growth_tracker = _number(self._init_growth_tracker, _C.int32, outputs.device)
            return outputs * self._scale.to(outputs.device)
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    # ---- the gradients
    def unscale_(self, optimizer) -> None:
        """Divides the optimizer's gradients by the scale, and notes whether all of them are finite."""
        if not self._enabled:
            return
        self._check_scaled("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = self._scale.double().reciprocal().float()
        found = state["found_inf_per_device"] = {}
        parameters = (p for group in optimizer.param_groups for p in group["params"])
        for gradient in (p.grad for p in parameters if p.grad is not None):
            if gradient.dtype is _C.float16:
                raise ValueError("Attempting to unscale FP16 gradients.")
            device, gradient = gradient.device, gradient.detach()
            before = found.get(device)
            bad = (~gradient.isfinite()).any().float()
            found[device] = bad if before is None else before.maximum(bad)
            gradient.mul_(inverse.to(device))
        state["stage"] = OptState.UNSCALED

    def step(self, optimizer, *args, return_found_inf: bool = False, **kwargs):
        """optimizer.step() with gradients that are divided by the scale, unless one is not finite."""
        if not self._enabled:
            result = optimizer.step(*args, **kwargs)
            return (result, False) if return_found_inf else result
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scaled("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        assert len(state["found_inf_per_device"]) > 0, "No inf checks were recorded for this optimizer."
        found = any(bad.item() for bad in state["found_inf_per_device"].values())
        result = None if found else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return (result, found) if return_found_inf else result

    # ---- the scale
    def update(self, new_scale=None) -> None:
        """Makes the scale smaller after a step that was left out, larger after many that were not; or new_scale."""
        if not self._enabled:
            return
        self._check_scaled("update")
        if new_scale is None:
            self._adapt()
        elif isinstance(new_scale, Tensor):
            reason = ("new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                      "                    torch.FloatTensor with requires_grad=False.")
            assert new_scale.device.type == self._device, reason
            assert new_scale.numel() == 1, reason
            assert new_scale.requires_grad is False, reason
            self._scale.copy_(new_scale)
        else:
            self._scale.fill_(new_scale)
        self._per_optimizer_states = defaultdict(_fresh)

    def _adapt(self):
        found = [bad.item() for state in self._per_optimizer_states.values()
                 for bad in state["found_inf_per_device"].values()]
        assert len(found) > 0, "No inf checks were recorded prior to update."
        successful = 0 if any(found) else self._get_growth_tracker() + 1
        if any(found):
            self._scale.mul_(self._backoff_factor)
        elif successful == self._growth_interval:
            grown = self._scale * self._growth_factor
            if grown.isfinite():
                self._scale.copy_(grown)
            successful = 0
        self._growth_tracker.fill_(successful)

    def get_scale(self) -> float:
        """The scale; 1 where it is not enabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item()

    def is_enabled(self) -> bool:
        return self._enabled

    # ---- in files
    def state_dict(self) -> dict:
        """The scale and what decides about it; empty where it is not enabled."""
        if not self._enabled:
            return {}
        return {"scale": self.get_scale(), "growth_factor": self._growth_factor,
                "backoff_factor": self._backoff_factor, "growth_interval": self._growth_interval,
                "_growth_tracker": self._get_growth_tracker()}

    def load_state_dict(self, state_dict: dict) -> None:
        """Takes what state_dict() gave."""
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict:
        state = dict(self.__dict__)
        if self._enabled:
            assert len(self._per_optimizer_states) == 0, (
                "A GradScaler instance may only be pickled at the beginning "
                "of an iteration, or at the end after scaler.update()."
            )
            state.update(_init_scale=self.get_scale(), _init_growth_tracker=self._get_growth_tracker(),
                         _scale=None, _growth_tracker=None)
        return state
