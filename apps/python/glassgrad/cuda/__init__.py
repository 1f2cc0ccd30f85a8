"""The GPUs that the engine finds (torch.cuda)."""

import types

from glassgrad import _C
from glassgrad._names import missing as _missing

_gpus = _C._cuda


def is_available():
    """Is there a GPU to compute on?"""
    return _gpus.device_count() > 0


def synchronize(device=None):
    """Waits until the GPU has done all that was asked of it."""
    _gpus.synchronize(device)


def current_device():
    """The number of the GPU that "cuda" means."""
    return _gpus.current_device()


def get_device_name(device=None):
    """"NVIDIA H200"."""
    return _gpus.device_name(device).split(", compute capability")[0]


def get_device_capability(device=None):
    """(9, 0)."""
    text = _gpus.device_name(device).split("compute capability ")[1].split(",")[0]
    return tuple(int(part) for part in text.split("."))


def get_device_properties(device=None):
    """Its name, total_memory in bytes, and compute capability as major and minor."""
    major, minor = get_device_capability(device)
    return types.SimpleNamespace(
        name=get_device_name(device), total_memory=_gpus.device_memory(device), major=major, minor=minor
    )


def _if_available(ask):
    def asked(device=None):
        return ask(device) if is_available() else 0

    return asked


is_initialized = is_available
device_count = _gpus.device_count
memory_allocated = memory_reserved = _if_available(_gpus.memory_allocated)
max_memory_allocated = max_memory_reserved = _if_available(_gpus.max_memory_allocated)
reset_peak_memory_stats = _if_available(_gpus.reset_peak_memory_stats)


def is_bf16_supported(including_emulation=True):
    """False."""
    return False


def _nothing(*args, **kwargs):
    return None


manual_seed = manual_seed_all = _nothing  # one generator draws for all devices
empty_cache = ipc_collect = _nothing
set_device = _nothing  # only to() chooses a tensor's device
__getattr__ = _missing("torch.cuda", globals(), below=("amp",))
