"""How many numbers lie between two edges: torch.histogram. (torch.histc is one of the engine's functions.)"""

import math

from glassgrad import _C
from glassgrad._C import Tensor

# The dtypes' names in errors.
_CPP = {"torch.float32": "float", "torch.float64": "double", "torch.int64": "long int", "torch.bool": "bool"}


class histogram_result(tuple):
    """hist and bin_edges: what torch.histogram gives."""

    __slots__ = ()
    __module__, __qualname__ = "torch.return_types", "histogram"
    hist = property(lambda self: self[0])
    bin_edges = property(lambda self: self[1])

    def __repr__(self):
        return f"torch.return_types.histogram(\nhist={self.hist!r},\nbin_edges={self.bin_edges!r})"


histogram_result.__name__ = "histogram"


def _check_floating(x):
    if x.dtype not in (_C.float32, _C.float64):
        kind = x.type().removeprefix("torch.").removesuffix("Tensor")
        raise RuntimeError(f'"histogramdd" not implemented for \'{kind}\'')


def _edges(x, bins, range):
    """bins + 1 numbers at equal distances over the range, that of the elements without one."""
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    _check_floating(x)
    if range is None:
        low, high = (float(x.min()), float(x.max())) if x.numel() else (0.0, 1.0)
    elif len(range) == 2:
        low, high = map(float, range)
    else:
        raise RuntimeError("torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but got "
                           f"{len(range)}")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histogramdd: dimension 0's range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for "
                           "dimension 0")
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    return _C.linspace(low, high, bins + 1, dtype=x.dtype)


def _counts(x, edges, weight):
    """Of each bin the weights of the elements in it. A bin has its left edge, the last one both."""
    bins = edges.numel() - 1
    at = _C.bucketize(x, edges, right=True) - 1
    at = at - (x == edges[-1]).long()  # the last edge belongs to the last bin
    inside = (at >= 0) & (at < bins)
    ones = _C.ones(int(inside.sum()), dtype=x.dtype) if weight is None else weight[inside]
    return _C.zeros(bins, dtype=x.dtype).index_add_(0, at[inside], ones)


def histogram(input, bins=100, *, range=None, weight=None, density=False):
    """How many elements lie in each of `bins` intervals: (hist, bin_edges). A tensor of bins: the edges.

    range: (the first edge, the last); without it the least and the greatest element. weight: what an element counts.
    density: divided by the sum and by the widths.
    """
    x = input.detach().reshape(-1)
    if isinstance(bins, Tensor):
        if bins.dtype is not x.dtype:
            a, b = (_CPP.get(str(t.dtype), str(t.dtype)) for t in (x, bins))
            raise RuntimeError("torch.histogramdd: input tensor and bins tensors should have the same dtype, but got "
                               f"input with dtype {a} and bins for dimension 0 with dtype {b}")
        _check_floating(x)
        edges = bins.detach().clone()
    else:
        edges = _edges(x, bins, range)
    if weight is not None:
        if weight.shape != input.shape:
            raise RuntimeError("torch.histogramdd: if weight tensor is provided it should have the same shape as the "
                               "input tensor excluding its innermost dimension, but got input with shape "
                               f"{[*input.shape, 1]} and weight with shape {list(weight.shape)}")
        weight = weight.detach().reshape(-1)
    hist = _counts(x, edges, weight)
    if density:
        hist = hist / hist.sum() / edges.diff()
    return histogram_result((hist, edges))
