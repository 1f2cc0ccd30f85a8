"""What programs ask about devices: torch.cuda, torch.backends and so on."""

import sys
import types

from glassgrad import _C


def _module(name, doc, **names):
    module = types.ModuleType("glassgrad." + name, doc)
    module.__dict__.update(names)
    sys.modules[module.__name__] = module
    return module


def _no(*args, **kwargs):
    return False


def _none(*args, **kwargs):
    return None


def _zero(*args, **kwargs):
    return 0


# ---- torch.cuda: the GPUs that the engine finds
_gpus = _C._cuda


def _is_built():
    return bool(_gpus.version())


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


cuda = _module(
    "cuda",
    "torch.cuda: the GPUs of this machine.",
    is_available=is_available,
    is_initialized=is_available,
    is_bf16_supported=_no,
    device_count=_gpus.device_count,
    manual_seed=_none,  # the CPU draws for all devices
    manual_seed_all=_none,
    empty_cache=_none,
    synchronize=synchronize,
    current_device=current_device,
    get_device_name=get_device_name,
    get_device_capability=get_device_capability,
    get_device_properties=get_device_properties,
    memory_allocated=_if_available(_gpus.memory_allocated),
    max_memory_allocated=_if_available(_gpus.max_memory_allocated),
    memory_reserved=_if_available(_gpus.memory_allocated),
    max_memory_reserved=_if_available(_gpus.max_memory_allocated),
    reset_peak_memory_stats=_if_available(_gpus.reset_peak_memory_stats),
)
mps = _module(
    "mps", "torch.mps: there is none.", is_available=_no, device_count=_zero, manual_seed=_none, empty_cache=_none
)
xpu = _module("xpu", "torch.xpu: there is none.", is_available=_no, device_count=_zero)
backends = _module(
    "backends",
    "torch.backends: what is computed with.",
    mps=_module("backends.mps", "There is none.", is_available=_no, is_built=_no),
    cuda=_module(
        "backends.cuda",
        "The kernels for GPUs.",
        is_built=_is_built,
        matmul=types.SimpleNamespace(allow_tf32=False),
        enable_flash_sdp=_none,
        enable_mem_efficient_sdp=_none,
        enable_math_sdp=_none,
    ),
    cudnn=_module(
        "backends.cudnn",
        "There is none.",
        is_available=_no,
        version=_none,
        enabled=False,
        deterministic=True,
        benchmark=False,
        allow_tf32=False,
    ),
    mkl=_module("backends.mkl", "There is none.", is_available=_no),
    openmp=_module("backends.openmp", "There is none.", is_available=_no),
)
version = _module(
    "version", "torch.version", __version__="2.6.0+glassgrad", cuda=_gpus.version() or None, hip=None, debug=False
)
