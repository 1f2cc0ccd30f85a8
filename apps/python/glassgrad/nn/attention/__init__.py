"""What attention is called with (torch.nn.attention)."""

import enum as _enum
from contextlib import contextmanager as _contextmanager

from glassgrad._names import missing
from glassgrad.backends import cuda as _cuda
from glassgrad.nn.attention import bias

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(_enum.Enum):
    """PyTorch's kernels of attention, for sdpa_kernel."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self):
        return self.value

    __index__ = __int__


_SETTINGS = {SDPBackend.MATH: "math", SDPBackend.FLASH_ATTENTION: "flash",
             SDPBackend.EFFICIENT_ATTENTION: "mem_efficient", SDPBackend.CUDNN_ATTENTION: "cudnn"}


@_contextmanager
def sdpa_kernel(backends, set_priority=False):
    """A `with` block, or a decorator, in which attention may use these kernels. No result depends on the choice."""
    assert isinstance(backends, (list, SDPBackend)), (
        "Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    with _cuda._only(**{setting: backend in chosen for backend, setting in _SETTINGS.items()}):
        yield {}


SDPBackend.__module__ = "torch.nn.attention"
__getattr__ = missing("torch.nn.attention", globals())
