"""Products in half precision (torch.amp.autocast_mode)."""

from __future__ import annotations

import functools
import warnings

from glassgrad import _C


def is_autocast_available(device_type: str) -> bool:
    """Is it the CPU or a GPU?"""
    return device_type in ("cpu", "cuda")


class autocast:
    """A `with` block, or a function, in which products of matrices and attention read float32 tensors in dtype, and
    losses read halves in float32. On the CPU; for a GPU that is there, NotImplementedError when the block begins.
    """

    def __init__(self, device_type: str, dtype=None, enabled: bool = True, cache_enabled: bool | None = None) -> None:
        from glassgrad import cuda
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        if device_type == "cuda" and enabled and not cuda.is_available():
            warnings.warn("User provided device_type of 'cuda', but CUDA is not available. Disabling", stacklevel=2)
            enabled = False
        if dtype is None:
            dtype = _C.bfloat16 if device_type == "cpu" else _C.float16
        if device_type == "cpu" and enabled and dtype not in (_C.bfloat16, _C.float16):
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtype of torch.bfloat16, torch.float16 currently.",
                stacklevel=2,
            )
            enabled = False
        self.device, self.fast_dtype, self._enabled = device_type, dtype, enabled
        self._before = []

    def __enter__(self):
        if self._enabled and self.device != "cpu":
            raise NotImplementedError(
                f"glassgrad computes products in float32 on a GPU: leave autocast({self.device!r}) out, "
                "or give it enabled=False"
            )
        self._before.append(_C.autocast_dtype())
        if self.device == "cpu":
            _C.set_autocast_dtype(self.fast_dtype if self._enabled else _C.float32)
        return self

    def __exit__(self, *error):
        _C.set_autocast_dtype(self._before.pop())
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
