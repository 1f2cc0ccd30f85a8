"""torch._foreach_…: one function for all tensors of a list, as people's own optimizers call it.

Each computes, tensor by tensor, what the method of the same name computes, and gives a tuple. Those that end in an
underscore write into the tensors and give the list back. The second operand is a list of as many tensors or numbers,
or one number for all; of add, mul and div also one tensor.
"""

import functools

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad._names import missing

_ALONE = ("abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac log log10 log1p log2 neg reciprocal round "
          "rsqrt sigmoid sign sin sinh sqrt tan tanh trunc").split()
_WITH_ANOTHER = "add sub mul div pow clamp_max clamp_min maximum minimum".split()
_WITH_PRODUCT = "addcmul addcdiv".split()
_SIZES = ", got {} and {}"


def _each(tensors, other, sizes="."):
    """One operand for each tensor: a list as it is, anything else again and again. sizes: how an error ends."""
    if isinstance(tensors, Tensor):
        raise TypeError("the first argument of a _foreach function is a list of tensors, not a Tensor")
    if not len(tensors):
        raise RuntimeError("Tensor list must have at least one tensor.")
    if not isinstance(other, (list, tuple)):
        return [other] * len(tensors)
    if len(other) != len(tensors):
        what, known = "Tensor lists must have the same number of tensors", _SIZES
        if sizes is not None and not (other and isinstance(other[0], Tensor)):
            what, known = "Tensor list must have same number of elements as scalar list", sizes
        raise RuntimeError(what + known.format(len(tensors), len(other)))
    return other


def _clamp(bound, clamp):
    """maximum and minimum: of two tensors, or of a tensor and a number."""
    return lambda x, other: bound(x, other) if isinstance(other, Tensor) else clamp(x, other)


def _alone(function):
    return lambda self: [function(x) for x in _each(self, self)]


def _with_another(function):
    def each(self, other, **settings):
        if isinstance(self, (bool, int, float)):  # a number to the power of each
            return [function(self, x) for x in _each(other, other)]
        if isinstance(other, Tensor) and other.dim() > 0:
            raise RuntimeError(
                f"scalar tensor expected to be 0 dim but it has {other.dim()} dimensions and {other.numel()} elements."
            )
        return [function(x, y, **settings) for x, y in zip(self, _each(self, other))]

    return each


def _with_product(function):
    def each(self, tensor1, tensor2, value=1, *, scalars=None):
        values = value if scalars is None else scalars
        values = _unpacked(values, len(self)) if isinstance(values, Tensor) else values
        rows = zip(self, _each(self, tensor1, None), _each(self, tensor2, None), _each(self, values, _SIZES))
        return [function(x, a, b, value=v) for x, a, b, v in rows]

    return each


def _unpacked(scalars, count):
    if scalars.dim() != 1:
        raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {scalars.dim()} instead.")
    if len(scalars) != count:
        raise RuntimeError(
            f"Expected length of scalars to match input of length {count} but got {len(scalars)} instead."
        )
    return scalars.tolist()


def _lerp(function):
    def each(self, other, weight):
        return [function(x, y, w) for x, y, w in zip(self, _each(self, other, None), _each(self, weight, _SIZES))]

    return each


def _norm(self, ord=2, dtype=None):
    return [torch.linalg.vector_norm(x, ord, dtype=dtype) for x in _each(self, self)]


def _max(self):
    return [x.max() for x in _each(self, self)]


def _copy(self, src, non_blocking=False):
    return [x.copy_(y) for x, y in zip(self, _each(self, src))]


def _public(name, each, in_place=False):
    @functools.wraps(each)
    def function(self, *args, **kwargs):
        results = each(self, *args, **kwargs)
        return self if in_place else tuple(results)

    function.__name__ = function.__qualname__ = name
    globals()[name] = function


def _define():
    bounds = {"maximum": ("maximum", "clamp_min"), "minimum": ("minimum", "clamp_max")}
    bounds.update(clamp_min=bounds["maximum"], clamp_max=bounds["minimum"])
    for kind, names in ((_alone, _ALONE), (_with_another, _WITH_ANOTHER), (_with_product, _WITH_PRODUCT),
                        (_lerp, ["lerp"])):
        for name in names:
            if name in bounds:
                compute = _clamp(*(getattr(Tensor, one) for one in bounds[name]))
                write = lambda x, other, compute=compute: x.copy_(compute(x, other))
            else:
                compute, write = getattr(torch, name, None) or getattr(Tensor, name), getattr(Tensor, name + "_")
            _public("_foreach_" + name, kind(compute))
            _public(f"_foreach_{name}_", kind(write), True)
    _public("_foreach_zero_", _alone(Tensor.zero_), True)
    _public("_foreach_copy_", _copy, True)
    _public("_foreach_norm", _norm)
    _public("_foreach_max", _max)


_define()
__getattr__ = missing("torch", globals())
