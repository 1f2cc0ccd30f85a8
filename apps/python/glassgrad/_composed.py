"""Functions of torch, and methods of Tensor, that are made of others; each has the node that PyTorch's has."""

import math
import warnings

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad._C import as_one as _as_one
from glassgrad._names import check_floating as _check_floating
from glassgrad._names import scalar_name as _scalar_name
from glassgrad._matrices import (
    cdist, corrcoef, cov, cross, det, inverse, kron, logdet, matrix_power, vander,
)


# ---- statistics
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """What a share q of the elements is below; between two elements, interpolation says what."""
    if input.dtype not in (torch.float32, torch.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    shares = q if isinstance(q, Tensor) else torch.tensor(q, dtype=input.dtype, device=input.device)
    if shares.dtype != input.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if shares.dim() > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if bool(((shares < 0) | (shares > 1)).any()):
        raise RuntimeError("quantile() q values must be in the range [0, 1]" if isinstance(q, Tensor) else
                           f"quantile() q must be in the range [0, 1] but got {q:g}")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError("quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but "
                           f"got {interpolation}")
    if input.numel() == 0:
        raise RuntimeError("quantile() input tensor must be non-empty")
    line = input.flatten() if dim is None else input.movedim(dim, -1)
    line = line.sort(-1).values
    line = torch.where(line.isnan().any(-1, keepdim=True), math.nan, line)
    ranks = shares.flatten() * (line.size(-1) - 1)
    ranks = {"lower": ranks.floor, "higher": ranks.ceil, "nearest": ranks.round}.get(interpolation, lambda: ranks)()
    low = ranks.floor().long()
    below, above = line[..., low], line[..., ranks.ceil().long()]
    weight = torch.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - low
    found = torch.lerp(below, above, weight.expand(below.shape)).movedim(-1, 0)
    if keepdim:
        found = found.unsqueeze(dim + 1 if dim is not None and dim >= 0 else dim) if dim is not None else (
            found.reshape((-1, *[1] * input.dim())))
    return _as_one("SqueezeBackward4", found[0] if shares.dim() == 0 else found)


def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean of what is a number."""
    x = input if dtype is None else input.to(dtype)
    if not x.is_floating_point():
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype but got "
                           f"{_scalar_name(x)}")
    return x.nansum(dim, keepdim) / (~x.isnan()).sum(dim, keepdim)


def histc(input, bins=100, min=0, max=0):
    """How many elements lie in each of as many equal parts from min to max; both 0: from the least to the greatest."""
    _check_floating("histogram", input)
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    x = input.flatten()
    if min == max and x.numel():
        min, max = x.min().item(), x.max().item()
    if not (math.isfinite(min) and math.isfinite(max)):
        raise RuntimeError(f"torch.histc: range of [{min:g}, {max:g}] is not finite")
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    if min == max:
        min, max = min - 1, max + 1
    x = x[(x >= min) & (x <= max)]
    place = ((x - min) * (bins / (max - min))).floor().long().clamp(max=bins - 1)
    return torch.bincount(place, minlength=bins).to(input.dtype)


def trapezoid(y, x=None, *, dx=1, dim=-1):
    """The area below y between places x, or places dx apart."""
    if y.dim() == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    y = y.movedim(dim, -1)
    if x is not None and x.dim() == 1 and x.size(0) != y.size(-1):
        raise RuntimeError("trapezoid: There must be one `x` value for each sample point")
    heights = y[..., 1:] + y[..., :-1]
    if x is None:
        return _as_one("MulBackward1", heights.sum(-1) * (dx / 2.0))
    return (heights * torch.diff(x if x.dim() == 1 else x.movedim(dim, -1))).sum(-1) / 2.0


trapz = trapezoid


# ---- at each element
def _check_tensor(function, name, x):
    if not isinstance(x, Tensor):
        raise TypeError(f"{function}(): argument '{name}' (position 2) must be Tensor, not {type(x).__name__}")


def sgn(input):
    """1, 0 or −1, as the sign of input."""
    return _as_one("SgnBackward0", input.sign())


def signbit(input):
    """Has it a minus, as −0 has too?"""
    return (input < 0) | ((input == 0) & (1 / input < 0)) if input.is_floating_point() else input < 0


def copysign(input, other):
    """input with the sign of other."""
    other = other if isinstance(other, Tensor) else torch.tensor(other, dtype=torch.get_default_dtype())
    if not input.is_floating_point() and not other.is_floating_point():
        input = input.to(torch.get_default_dtype())
    sign = torch.where(signbit(other), -1.0, 1.0).to(other.dtype if other.is_floating_point() else input.dtype)
    if other.requires_grad:
        sign = sign + 0 * torch.where(other.isnan(), 0.0, other.sign())  # its gradient is 0
    return _as_one("CopysignBackward0", input.abs() * sign)


def heaviside(input, values):
    """0 below 0, 1 above, values at 0."""
    _check_tensor("heaviside", "values", values)
    if input.dtype is not values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return torch.where(input == 0, values, (input > 0).to(input.dtype))


def xlogy(input, other):
    """input · log(other), 0 where input is 0 and other is a number."""
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        raise TypeError(f"xlogy() received an invalid combination of arguments - got ({type(input).__name__}, "
                        f"{type(other).__name__}), but expected a Tensor and a Tensor or number")
    x, y = (v if isinstance(v, Tensor) else torch.tensor(float(v)) for v in (input, other))
    nothing = (x == 0) & ((y <= 0) | (y == math.inf))
    value = x * torch.where(nothing, 1.0, y).log()
    both = nothing & (y == 0)  # where the gradient x/y is nan, as that of this root
    if y.requires_grad:
        value = torch.where(both, torch.where(both, y, 1.0).square().sqrt(), value)
    node = "0" if x is input and y is other else "1" if y is other else "2"
    return _as_one(f"XlogyBackward{node}", value)


def sinc(input):
    """sin(π·input)/(π·input), 1 at 0."""
    wide = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
    x = torch.where(wide == 0, 1.0, wide) * math.pi
    y = torch.where(wide == 0, 1.0, x.sin() / x)
    return _as_one("SincBackward0", y if wide is input else y.to(input.dtype))


def fmax(input, other):
    """The greater one, or the one that is a number; input of two equal ones, which has the whole gradient."""
    _check_tensor("fmax", "other", other)
    return _as_one("FmaxBackward0", torch.where((input >= other) | other.isnan(), input, other))


def fmin(input, other):
    """The lesser one, or the one that is a number; input of two equal ones, which has the whole gradient."""
    _check_tensor("fmin", "other", other)
    return _as_one("FminBackward0", torch.where((input <= other) | other.isnan(), input, other))


def logaddexp2(input, other):
    """log2(2^input + 2^other)."""
    _check_floating("logaddexp2", input if input.is_floating_point() else other)
    apart = torch.where(input == other, 0.0, input - other)  # of two infinities too
    return _as_one("Logaddexp2Backward0", torch.maximum(input, other) + (1 + (-apart.abs()).exp2()).log2())


def isreal(input):
    """True: each number of a real tensor is real."""
    return torch.ones_like(input, dtype=torch.bool)


def isposinf(input):
    """Is it ∞?"""
    return input == math.inf


def isneginf(input):
    """Is it −∞?"""
    return input == -math.inf


# ---- shapes and places
def broadcast_shapes(*shapes):
    """The shape to which tensors of these shapes broadcast."""
    if not shapes:
        return torch.Size([])
    shapes = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    return torch.broadcast_tensors(*(torch.empty(()).expand(s) for s in shapes))[0].shape


def unravel_index(indices, shape):
    """The indices of elements of a tensor of that shape by their numbers in it, a tensor for each dimension."""
    if indices.is_floating_point() or indices.dtype is torch.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    places = []
    for size in reversed((shape,) if isinstance(shape, int) else tuple(shape)):
        places.insert(0, indices % size)
        indices = indices // size
    return tuple(places)


def diagflat(input, offset=0):
    """A matrix with the elements on its diagonal."""
    return input.flatten().diag(offset)


def rot90(input, k=1, dims=(0, 1)):
    """Turned k times by a right angle, from the first of dims to the second."""
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.dim() < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.dim()}")
    first, second = dims
    if first == second or abs(first - second) == input.dim():
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {first} and dim1 = {second}")
    for place, dim in enumerate(dims):
        if not -input.dim() <= dim < input.dim():
            raise RuntimeError(f"Rotation dim{place} out of range, dim{place} = {dim}")
    turned = {0: lambda: input.clone(), 1: lambda: input.flip(second).transpose(first, second),
            2: lambda: input.flip(first, second), 3: lambda: input.flip(first).transpose(first, second)}[k % 4]()
    return _as_one("Rot90Backward0", turned)


def dstack(tensors):
    """The tensors one behind the other along the third dimension."""
    return torch.cat([torch.atleast_3d(x) for x in tensors], 2)


def _split(name, x, parts, least, dim):
    if x.dim() < least:
        raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
                           f"{x.dim()} dimensions!")
    if isinstance(parts, int) and parts and x.size(dim) % parts:
        raise RuntimeError(f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
                           f"{x.size(dim)} is not divisible by the split_size {parts}!")
    return torch.tensor_split(x, parts, dim)


def hsplit(input, indices_or_sections):
    """Parts side by side, along the second dimension, of a vector along its only one."""
    return _split("hsplit", input, indices_or_sections, 1, 0 if input.dim() == 1 else 1)


def vsplit(input, indices_or_sections):
    """Parts one below the other, along the first dimension."""
    return _split("vsplit", input, indices_or_sections, 2, 0)


def dsplit(input, indices_or_sections):
    """Parts along the third dimension."""
    return _split("dsplit", input, indices_or_sections, 3, 2)


def masked_scatter(input, mask, source):
    """The elements of source, in order, where mask is True."""
    if input.dtype is not source.dtype:
        raise RuntimeError("masked_scatter: expected self and source to have same dtypes but got"
                           f"{_scalar_name(input)} and {_scalar_name(source)}")
    if mask.dtype is not torch.bool:
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {_scalar_name(mask)}")
    mask, input = torch.broadcast_tensors(mask, input)
    if int(mask.sum()) > source.numel():
        raise RuntimeError("Number of elements of source < number of ones in mask")
    places = (mask.flatten().cumsum(0) - 1).clamp(min=0)
    if source.numel():
        taken = source.flatten()[places.clamp(max=source.numel() - 1)].view(input.shape)
    else:
        taken = input
    return _as_one("MaskedScatterBackward0", torch.where(mask, taken, input))


def range(start=0, end=None, step=1, *, dtype=None, device=None, requires_grad=False):
    """start, start + step, … up to and with end; arange is its newer form."""
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).", stacklevel=2)
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (step > 0 and start > end) or (step < 0 and start < end):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    steps = torch.arange(int((end - start) / step) + 1, device=device, dtype=torch.float64)
    return (start + steps * step).to(dtype or torch.get_default_dtype()).requires_grad_(requires_grad)


# ---- methods
def _need_grad(operands):
    return any(isinstance(x, Tensor) and x.requires_grad for x in operands)


def _in_place(name):
    def method(self, *args, **kwargs):
        # Of a copy, so that what backward reads is not written over.
        before = self.clone() if torch.is_grad_enabled() and (self.requires_grad or _need_grad(args)) else self
        made = getattr(before, name)(*args, **kwargs)
        if name == "float_power" and self.dtype is not made.dtype:
            raise RuntimeError(f"the base given to float_power_ has dtype {_scalar_name(self)} but the operation's "
                               f"result requires dtype {_scalar_name(made)}")
        if made.is_floating_point() and not self.is_floating_point():
            raise RuntimeError(f"result type {_scalar_name(made)} can't be cast to the desired output type "
                               f"{_scalar_name(self)}")
        node = made.grad_fn
        self.copy_(made)
        if node is not None and self.grad_fn.name() == "torch::autograd::CopyBackwards":
            _as_one(node.name(), self)
        return self

    return method


# Functions that are methods too.
_BOTH = [
    det, logdet, inverse, matrix_power, cross, kron, cov, corrcoef, quantile, nanmean, histc, sgn, signbit, copysign,
    heaviside, xlogy, sinc, fmax, fmin, logaddexp2, isreal, isposinf, isneginf, diagflat, rot90, hsplit, vsplit, dsplit,
    masked_scatter,
]


def _attach():
    for function in _BOTH:
        setattr(Tensor, function.__name__, function)
    pointwise = (
        "asin acos atan sinh cosh asinh acosh atanh arcsin arccos arctan arcsinh arccosh arctanh deg2rad rad2deg sgn "
        "sinc absolute negative fix frac logit nan_to_num erfc subtract multiply divide true_divide float_power "
        "greater less greater_equal less_equal not_equal cumprod addmm addmv addbmm baddbmm copysign heaviside xlogy "
        "masked_scatter atan2 hypot"
    ).split()
    for name in pointwise:
        if hasattr(Tensor, name) and not hasattr(Tensor, name + "_"):
            method = _in_place(name)
            method.__name__, method.__qualname__ = name + "_", f"Tensor.{name}_"
            method.__doc__ = f"{name} in place."
            setattr(Tensor, name + "_", method)


_attach()
# Methods in place that are functions too.
_WRITING = (
    "asin_ acos_ atan_ sinh_ cosh_ asinh_ acosh_ atanh_ arcsin_ arccos_ arctan_ arcsinh_ arccosh_ arctanh_ deg2rad_ "
    "rad2deg_ sinc_ negative_ fix_ frac_ logit_ nan_to_num_ erfc_ addmv_ xlogy_"
).split()
globals().update({name: getattr(Tensor, name) for name in _WRITING})
__all__ = ["cdist", "vander", "trapezoid", "trapz", "broadcast_shapes", "unravel_index", "dstack", "range"]
__all__ += [*_WRITING, *(function.__name__ for function in _BOTH)]
