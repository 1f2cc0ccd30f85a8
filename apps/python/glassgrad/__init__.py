"""PyTorch's names on glassgrad's engine: `import glassgrad as torch`."""

from glassgrad import _alone  # first: keeps the imports below from taking files of the program's own folder
from math import e, inf, nan, pi

from glassgrad import _C, _scope, _tensor
from glassgrad._autograd import enable_grad, inference_mode, is_inference_mode_enabled, no_grad, set_grad_enabled
from glassgrad._C import (
    Generator,
    Size,
    Tensor,
    default_generator,
    device,
    double,
    dtype,
    float,
    get_num_threads,
    half,
    int,
    is_grad_enabled,
    long,
    result_type,
    set_num_threads,
    short,
)

globals().update({str(dtype).removeprefix("torch."): dtype for dtype in _C.dtypes.values()})

from glassgrad import backends, cuda
from glassgrad._devices import mps, version, xpu
from glassgrad._glass import attach as _attach_glass, glass, load_ipython_extension
from glassgrad._heat import heat_table
from glassgrad._histograms import histogram
from glassgrad._lessons import lesson, lesson_names
from glassgrad._names import missing, present_as_torch, public, typename
from glassgrad._state import *
from glassgrad._trails import compare, leak_test, shapes, trace_nan

globals().update({name: getattr(_C, name) for name, *_ in _C.signatures["torch"]})

from glassgrad._complex_functions import *
from glassgrad import amp, autograd, linalg, nn, optim, random, utils
from glassgrad.amp import GradScaler, autocast
from glassgrad.autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from glassgrad.serialization import load, save

__version__ = version.__version__
newaxis = None
OutOfMemoryError = cuda.OutOfMemoryError
Tensor._repr_html_ = heat_table
Tensor.histogram = histogram
_attach_glass(Tensor)

# Modules that few programs need, imported on first access.
_LATER = ("accelerator", "distributed", "distributions", "fx", "jit", "multiprocessing", "onnx", "profiler", "testing")
_LATER += ("_dynamo", "_inductor", "compiler", "special", "storage")
_IN_THEM = dict.fromkeys(("TypedStorage", "UntypedStorage", "is_storage"), "storage")
_IN_THEM |= {f"{name}Storage": "storage" for name in _C.dtypes}
_missing = missing(
    "torch",
    globals(),
    _scope.TORCH,
    below=_LATER,
    inside=_IN_THEM,
)


def __getattr__(name):
    if name.startswith("_foreach_"):
        from glassgrad import _foreach

        return getattr(_foreach, name)
    return _missing(name)


__dir__ = public(globals())
present_as_torch({name: thing for name, thing in globals().items() if not isinstance(thing, type(_C))})
