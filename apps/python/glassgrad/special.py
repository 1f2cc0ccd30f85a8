"""Functions of mathematics under the names that they have in torch.special."""

import math as _math
from functools import wraps as _wraps

import glassgrad as _torch
from glassgrad import _C
from glassgrad._autograd import Function as _Function
from glassgrad._names import missing as _missing

_SAME = {"expit": "sigmoid", "gammaln": "lgamma", "multigammaln": "mvlgamma", "psi": "digamma"}
_SAME |= {name: name for name in (
    "exp2 expm1 log1p log_softmax softmax logsumexp logit erf erfc erfinv sinc xlogy round digamma polygamma".split())}
_NEAR = {
    "erfcx": "(x * x).exp() * torch.special.erfc(x) is the same where it does not overflow",
    "log_ndtr": "torch.special.ndtr(x).log() is the same where ndtr(x) is not 0",
    "ndtri": "2**0.5 * torch.special.erfinv(2 * p - 1) is the same",
    **dict.fromkeys("i0 i0e i1 i1e bessel_j0 bessel_j1 bessel_y0 bessel_y1 airy_ai spherical_bessel_j0".split(),
                    "Bessel functions are out of glassgrad's scope"),
    **dict.fromkeys("gammainc gammaincc zeta".split(), "incomplete gamma functions are out of glassgrad's scope"),
}


def _renamed(name, function):
    """The function, whose errors say special_NAME() as PyTorch's do."""
    @_wraps(function)
    def special(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            raise TypeError(str(error).replace(f"{function.__name__}()", special.__name__ + "()", 1)) from None

    special.__name__ = special.__qualname__ = f"special_{name}"
    return special


globals().update({name: _renamed(name, getattr(_torch, same)) for name, same in _SAME.items()})


def _check(function, *given):
    """Integers as the default float; TypeError for what is neither a tensor nor, beside one, a number."""
    for place, (name, x) in enumerate(given, 1):
        if not isinstance(x, _torch.Tensor):
            kind = type(x).__name__
            raise TypeError(f"{function}(): argument '{name}' (position {place}) must be Tensor, not {kind}")
    return [x if x.is_floating_point() else x.to(_torch.get_default_dtype()) for _, x in given]


def _written(result, out):
    return result if out is None else out.copy_(result)


class _Entr(_Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        inside = _torch.where(x == 0, 0.0, -x * x.log())
        return _torch.where(x < 0, -_math.inf, inside)

    @staticmethod
    def backward(ctx, gradient):
        x, = ctx.saved_tensors
        return gradient * (-1 - x.log())


def entr(input, *, out=None):
    """−x·ln x, 0 at 0 and −inf below it: the terms of an entropy."""
    x, = _check("special_entr", ("input", input))
    return _written(_C.as_one("SpecialEntrBackward0", _Entr.apply(x)), out)


class _XLog1py(_Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return _torch.where((x == 0) & ~y.isnan(), 0.0, x * y.log1p())

    @staticmethod
    def backward(ctx, gradient):
        x, y = ctx.saved_tensors
        nothing = (x == 0) & (y <= -1)
        return gradient * y.log1p().masked_fill(nothing, 0), gradient * x / (y + 1)


_refuse_pair = _renamed("xlog1py", _torch.xlogy)


def xlog1py(input, other, *, out=None):
    """x·ln(1 + y), 0 where x is 0 and y is a number."""
    kinds = [isinstance(x, _torch.Tensor) for x in (input, other)]
    if not any(kinds) or not all(kind or isinstance(x, (int, float)) for kind, x in zip(kinds, (input, other))):
        _refuse_pair(input, other)
    dtype = (input if kinds[0] else other).dtype
    pair = [x if kind else _torch.tensor(x, dtype=dtype) for kind, x in zip(kinds, (input, other))]
    x, y = _check("special_xlog1py", ("input", pair[0]), ("other", pair[1]))
    node = f"SpecialXlog1PyBackward{1 if not kinds[0] else 2 if not kinds[1] else 0}"
    return _written(_C.as_one(node, _XLog1py.apply(*_torch.broadcast_tensors(x, y))), out)


def ndtr(input, *, out=None):
    """The share of a normal distribution below x: (1 + erf(x/√2))/2."""
    x, = _check("special_ndtr", ("input", input))
    return _written(_C.as_one("MulBackward1", (1 + (x / _math.sqrt(2)).erf()) * 0.5), out)


__getattr__ = _missing("torch.special", globals(), _NEAR)
