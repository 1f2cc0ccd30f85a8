"""What programs ask about devices: torch.cuda, torch.backends and so on. There is the CPU."""

import sys
import types


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


def _no_cuda(*args, **kwargs):
    raise AssertionError("Torch not compiled with CUDA enabled")


cuda = _module(
    "cuda",
    "torch.cuda: there is none.",
    is_available=_no,
    is_initialized=_no,
    is_bf16_supported=_no,
    device_count=_zero,
    manual_seed=_none,
    manual_seed_all=_none,
    empty_cache=_none,
    synchronize=_no_cuda,
    current_device=_no_cuda,
    get_device_name=_no_cuda,
    get_device_properties=_no_cuda,
    memory_allocated=_zero,
    max_memory_allocated=_zero,
    memory_reserved=_zero,
    max_memory_reserved=_zero,
    reset_peak_memory_stats=_none,
)
mps = _module(
    "mps", "torch.mps: there is none.", is_available=_no, device_count=_zero, manual_seed=_none, empty_cache=_none
)
xpu = _module("xpu", "torch.xpu: there is none.", is_available=_no, device_count=_zero)
backends = _module(
    "backends",
    "torch.backends: what the CPU is computed with.",
    mps=_module("backends.mps", "There is none.", is_available=_no, is_built=_no),
    cuda=_module(
        "backends.cuda",
        "There is none.",
        is_built=_no,
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
version = _module("version", "torch.version", __version__="2.6.0+glassgrad", cuda=None, hip=None, debug=False)
