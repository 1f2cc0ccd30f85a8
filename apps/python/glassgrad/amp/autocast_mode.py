"""Products in half precision (torch.amp.autocast_mode)."""

from __future__ import annotations

import functools
import warnings


def is_autocast_available(device_type: str) -> bool:
    """Is it the CPU or a GPU?"""
    return device_type in ("cpu", "cuda")


class autocast:
    """A `with` block, or a function, whose products are computed in dtype; here only with enabled=False, or for a GPU
    that is not there. NotImplementedError at the beginning of the block otherwise.
    """

    def __init__(self, device_type: str, dtype=None, enabled: bool = True, cache_enabled: bool | None = None) -> None:
        from glassgrad import cuda
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if device_type == "cuda" and enabled and not cuda.is_available():
            warnings.warn("User provided device_type of 'cuda', but CUDA is not available. Disabling", stacklevel=2)
            enabled = False
        self.device, self.fast_dtype, self._enabled = device_type, dtype, enabled

    def __enter__(self):
        if self._enabled:
            raise NotImplementedError(
                f"glassgrad computes products in float32: leave autocast({self.device!r}) out, or give it enabled=False"
            )
        return self

    def __exit__(self, *error):
        return False

    def __call__(self, function):
        @functools.wraps(function)
        def within(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return within


def custom_fwd(fwd=None, *, device_type: str = "cuda", cast_inputs=None):
    """The forward of an autograd.Function, as it is."""
    return fwd if fwd is not None else lambda function: function


def custom_bwd(bwd=None, *, device_type: str = "cuda"):
    """The backward of an autograd.Function, as it is."""
    return bwd if bwd is not None else lambda function: function
