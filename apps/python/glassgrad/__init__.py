"""PyTorch's names on glassgrad's engine: `import glassgrad as torch`."""

from math import e, inf, nan, pi

from glassgrad import _C
from glassgrad import _tensor
from glassgrad._autograd import (
    enable_grad,
    inference_mode,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from glassgrad._C import (
    Generator,
    Size,
    Tensor,
    bool,
    default_generator,
    device,
    double,
    dtype,
    float,
    float32,
    float64,
    get_num_threads,
    int64,
    is_grad_enabled,
    long,
    result_type,
    set_num_threads,
    set_printoptions,
)
from glassgrad._devices import backends, cuda, mps, version, xpu
from glassgrad._names import missing, present_as_torch
from glassgrad._state import *

__version__ = version.__version__
newaxis = None
