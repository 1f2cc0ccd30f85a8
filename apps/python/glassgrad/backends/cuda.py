"""Settings of the kernels for GPUs, and which of them attention may use (torch.backends.cuda).

The engine has one way of computing attention on each device, so that the choice changes no result.
"""

import warnings as _warnings
from contextlib import contextmanager as _contextmanager

from glassgrad import _C, _state
from glassgrad._names import missing as _missing

_allowed = dict(flash=True, mem_efficient=True, math=True, cudnn=True, reduced_math=False)


class _Matmul:
    """Settings of products of matrices. No result depends on them."""

    __slots__ = ("allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction")

    def __init__(self):
        self.allow_fp16_reduced_precision_reduction = self.allow_bf16_reduced_precision_reduction = True

    @property
    def allow_tf32(self):
        return _state.get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, value):
        _state.set_float32_matmul_precision("high" if value else "highest")

    def __getattr__(self, name):
        raise AttributeError("Unknown attribute " + name)


matmul = _Matmul()


def is_built():
    """Was the engine built with CUDA?"""
    return bool(_C._cuda.version())


def _setting(kernel):
    def enable(enabled):
        _allowed[kernel] = bool(enabled)

    def enabled():
        return _allowed[kernel]

    enable.__name__, enabled.__name__ = f"enable_{kernel}_sdp", f"{kernel}_sdp_enabled"
    enable.__doc__ = f"May attention use the kernel {kernel!r}? No result depends on it."
    enabled.__doc__ = f"What {enable.__name__} was told last; True at first."
    return enable, enabled


enable_flash_sdp, flash_sdp_enabled = _setting("flash")
enable_mem_efficient_sdp, mem_efficient_sdp_enabled = _setting("mem_efficient")
enable_math_sdp, math_sdp_enabled = _setting("math")
enable_cudnn_sdp, cudnn_sdp_enabled = _setting("cudnn")
allow_fp16_bf16_reduction_math_sdp, fp16_bf16_reduction_math_sdp_allowed = _setting("reduced_math")


def is_flash_attention_available():
    """False: PyTorch's own kernels are not there."""
    return False


@_contextmanager
def _only(**allowed):
    before = dict(_allowed)
    _allowed.update(allowed)
    try:
        yield {}
    finally:
        _allowed.update(before)


def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """A `with` block in which attention may use these kernels; the old form of torch.nn.attention.sdpa_kernel."""
    _warnings.warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please "
        "see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning, stacklevel=2)
    return _only(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)


__getattr__ = _missing("torch.backends.cuda", globals())
