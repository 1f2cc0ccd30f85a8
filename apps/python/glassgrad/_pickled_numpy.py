"""numpy's arrays and numbers in a file of PyTorch's, checked before numpy sees them."""

import math
import re

from glassgrad._pickled import Refused


def _dtype(code, align=False, copy=True):
    import numpy

    if type(code) is not str or not re.fullmatch(r"[<|=]?[biufcSU]\d{1,4}", code):
        raise Refused("a dtype of numpy's that is no number and no text")
    return numpy.dtype(code)


def _array(kind, shape, code):
    import numpy

    return numpy.empty(0, "int8")  # build() fills it


def _scalar(dtype, content):
    import numpy

    if not isinstance(dtype, numpy.dtype) or type(content) is not bytes or len(content) != dtype.itemsize:
        raise Refused("a number of numpy's of another size")
    return numpy.frombuffer(content, dtype)[0]


def find(home, name):
    """What numpy's pickles call: functions of this module."""
    if home in ("numpy.core.multiarray", "numpy._core.multiarray") and name in ("_reconstruct", "scalar"):
        return _array if name == "_reconstruct" else _scalar
    if home == "numpy" and name in ("dtype", "ndarray"):
        return _dtype if name == "dtype" else _array
    raise Refused(f"it holds {home}.{name} of numpy: arrays and numbers of it can be read")


def build(made, state):
    """The shape and numbers of an array; of a dtype the order of its bytes."""
    import numpy

    if isinstance(made, numpy.dtype):
        if type(state) is not tuple or len(state) < 2 or state[1] not in ("<", "|", "="):
            raise Refused("numbers of numpy's that are not little-endian")
        return
    if not isinstance(made, numpy.ndarray) or made.size or type(state) is not tuple or len(state) != 5:
        raise Refused("its pickle describes no array of numpy's")
    _, shape, dtype, by_columns, content = state
    sizes = type(shape) is tuple and len(shape) <= 32 and all(type(n) is int and n >= 0 for n in shape)
    if not sizes or not isinstance(dtype, numpy.dtype) or type(content) is not bytes:
        raise Refused("its pickle describes no array of numpy's")
    if math.prod(shape) * dtype.itemsize != len(content):
        raise Refused("an array of numpy's with another number of bytes")
    made.__setstate__((1, shape, dtype, bool(by_columns), content))
