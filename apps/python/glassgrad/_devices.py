"""What programs ask about devices that there are none of: torch.mps and so on."""

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


mps = _module(
    "mps", "torch.mps: there is none.", is_available=_no, device_count=_zero, manual_seed=_none, empty_cache=_none
)
xpu = _module("xpu", "torch.xpu: there is none.", is_available=_no, device_count=_zero)
version = _module(
    "version", "torch.version", __version__="2.6.0+glassgrad", cuda=_C._cuda.version() or None, hip=None, debug=False
)
