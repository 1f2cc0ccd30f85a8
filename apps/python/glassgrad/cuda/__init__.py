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


is_initialized = is_available
device_count = _gpus.device_count


def is_bf16_supported(including_emulation=True):
    """False."""
    return False


def init():
    """Nothing where there is a GPU; else what torch.zeros(1).cuda() raises."""
    current_device()


class device:
    """A `with` block for one GPU. There is one that "cuda" means, and for it, as for None and -1, nothing changes."""

    def __init__(self, device):
        if device is None or isinstance(device, int):
            self.idx = device
            return
        named = _C.device(device)
        if named.type != "cuda":
            raise ValueError(f"Expected a cuda device, but got: {named}")
        self.idx = named.index

    def __enter__(self):
        if self.idx is None or self.idx < 0:
            return
        if not _gpus.version():
            raise RuntimeError("PyTorch was compiled without CUDA support")
        if self.idx != current_device():
            raise NotImplementedError(f'"cuda" always means GPU {current_device()}: say device="cuda:{self.idx}"')

    def __exit__(self, *error):
        return False


class device_of(device):
    """A `with` block for the GPU of a tensor."""

    def __init__(self, obj):
        super().__init__(obj.device if obj.is_cuda else -1)


def is_current_stream_capturing():
    """False."""
    return False


def get_arch_list():
    """[]."""
    return []


def get_gencode_flags():
    """''."""
    return ""


class OutOfMemoryError(RuntimeError):
    """A GPU has too little memory."""


OutOfMemoryError.__module__ = "torch"


def _nothing(*args, **kwargs):
    return None


manual_seed = manual_seed_all = seed = seed_all = _nothing  # one generator draws for all devices
ipc_collect = empty_cache = _nothing
set_device = _nothing  # only to() chooses a tensor's device
_inside = dict.fromkeys("CUDAGraph Event Stream StreamContext current_stream default_stream set_stream stream".split(),
                        "streams")
_inside |= dict.fromkeys("""
    max_memory_allocated max_memory_cached max_memory_reserved mem_get_info memory_allocated memory_cached
    memory_reserved memory_stats memory_stats_as_nested_dict reset_accumulated_memory_stats reset_max_memory_allocated
    reset_max_memory_cached reset_peak_memory_stats set_per_process_memory_fraction
""".split(), "memory")
_inside |= {f"{name}Tensor": "tensor_types" for name in _C.dtypes}
__getattr__ = _missing("torch.cuda", globals(), below=("amp", "memory", "nvtx", "streams", "tensor_types"),
                       inside=_inside)
