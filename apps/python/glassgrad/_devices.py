"""What programs ask about devices: torch.mps, torch.backends and so on."""

import sys
import types

from glassgrad import _C


def _module(name, doc, **names):
    module = types.ModuleType("glassgrad." + name, doc)
    module.__dict__.update(names, __path__=[])  # a package, for `import torch.backends.cudnn`
    sys.modules[module.__name__] = module
    return module


def _no(*args, **kwargs):
    return False


def _none(*args, **kwargs):
    return None


def _zero(*args, **kwargs):
    return 0


def _is_built():
    return bool(_C._cuda.version())


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
    "version", "torch.version", __version__="2.6.0+glassgrad", cuda=_C._cuda.version() or None, hip=None, debug=False
)
