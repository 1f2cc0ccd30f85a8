"""Products in half precision (torch.amp.autocast_mode)."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping

from glassgrad import _C
from glassgrad._state import get_autocast_dtype, is_autocast_enabled


def is_autocast_available(device_type: str) -> bool:
    """Is it the CPU or a GPU?"""
    return device_type in ("cpu", "cuda")


class autocast:
    """A `with` block, or a function, in which products of matrices and attention read float32 tensors in dtype, and
    losses read halves in float32, where the tensors lie on that type of device. On a GPU softmax, layer_norm, sums,
    powers and logarithms read halves in float32 as well.
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
        self._before.append(_C.autocast_dtype(self.device == "cuda"))
        _C.set_autocast_dtype(self.device == "cuda", self.fast_dtype if self._enabled else _C.float32)
        return self

    def __exit__(self, *error):
        _C.set_autocast_dtype(self.device == "cuda", self._before.pop())
        return False

    def __call__(self, function):
        @functools.wraps(function)
        def within(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return within


def _cast(value, device_type, dtype):
    """The value, and what it holds, with the floats of that type of device in that dtype."""
    if isinstance(value, _C.Tensor):
        casts = value.is_floating_point() and value.device.type == device_type and value.dtype is not _C.float64
        return value.to(dtype) if casts else value
    if isinstance(value, Mapping):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(v, device_type, dtype) for v in value)
    return value


def in_float32(function):
    """A loss made of several functions, whose floats autocast gives it in float32."""
    @functools.wraps(function)
    def widened(*args, **kwargs):
        for device in "cpu", "cuda":
            if is_autocast_enabled(device):
                args, kwargs = _cast(args, device, _C.float32), _cast(kwargs, device, _C.float32)
        return function(*args, **kwargs)

    return widened


def custom_fwd(fwd=None, *, device_type: str = "cuda", cast_inputs=None):
    """The forward of an autograd.Function; with cast_inputs its floats are cast first, and autocast is off within."""
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(ctx, *args, **kwargs):
        enabled = is_autocast_enabled(device_type)
        ctx._dtype, ctx._fwd_used_autocast = get_autocast_dtype(device_type), enabled and cast_inputs is None
        if cast_inputs is None or not enabled:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(ctx, *_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return forward


def custom_bwd(bwd=None, *, device_type: str = "cuda"):
    """The backward of an autograd.Function, with autocast as it was in forward."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(ctx, *args, **kwargs):
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *args, **kwargs)

    return backward
