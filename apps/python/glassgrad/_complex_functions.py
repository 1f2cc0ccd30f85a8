"""Functions that make complex tensors or take them; what shapes of real tensors can do, for complex ones."""

import math

import glassgrad as torch
from glassgrad import _C
from glassgrad._C import Tensor
from glassgrad._complex import HERE, ComplexTensor, pairs_of, same_or_new
from glassgrad._complex_dtype import ComplexDType, cdouble, cfloat, complex64, complex128
from glassgrad._names import scalar_name as _scalar

def _check_wide(x):
    if str(x.dtype) == "torch.float16":
        raise NotImplementedError(f"there are no complex numbers of two halves, take x.float(); {HERE}")


def _check_parts(first, second):
    _check_wide(first)
    if not all(x.dtype in (_C.float32, _C.float64) for x in (first, second)):
        raise RuntimeError(f"Expected both inputs to be Half, Float or Double tensors but got {_scalar(first)} and "
                           f"{_scalar(second)}")
    if first.dtype is not second.dtype:
        raise RuntimeError(f"Expected object of scalar type {_scalar(first)} but got scalar type {_scalar(second)} for "
                           "second argument")


def complex(real, imag):
    """The complex numbers with these real and imaginary parts."""
    _check_parts(real, imag)
    return ComplexTensor(torch.stack([real + 0 * imag, 0 * real + imag], -1), "ComplexBackward0")


def polar(abs, angle):
    """The complex numbers abs·(cos(angle) + i·sin(angle))."""
    _check_parts(abs, angle)
    # PyTorch calls the C library here, whose float functions round from double.
    wide = angle.double()
    x, y = (f(wide).to(angle.dtype) for f in (torch.cos, torch.sin))
    return ComplexTensor(torch.stack([abs * x, abs * y], -1), "PolarBackward0")


def view_as_complex(input):
    """Complex numbers in the memory of input, whose last dimension has a real and an imaginary part."""
    _check_wide(input)
    if input.dtype not in (_C.float32, _C.float64):
        raise RuntimeError("view_as_complex is only supported for half, float and double tensors, but got a tensor of "
                           f"scalar type: {_scalar(input)}")
    if not input.dim():
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.size(-1) != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if input.stride(-1) != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(step % 2 for step in input.stride()[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if input.storage_offset() % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    return ComplexTensor(input.view_as(input), "ViewAsComplexBackward0")


def view_as_real(input):
    """The real tensor in the memory of a complex one: a last dimension of real and imaginary part more."""
    if type(input) is not ComplexTensor:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return _C.as_one("ViewAsRealBackward0", input.pairs.view_as(input.pairs))


def is_complex(input):
    """Is its dtype complex64 or complex128?"""
    return input.is_complex()


def real(input):
    """The real parts: of a real tensor itself."""
    return input.real


def imag(input):
    """The imaginary parts. RuntimeError for a real tensor."""
    return input.imag


def conj(input):
    """With −imag for imag: of a real tensor itself."""
    return input.conj() if type(input) is ComplexTensor else input


def angle(input):
    """The angle from 1 to each number, from −π to π: of a real number 0 or π."""
    if type(input) is ComplexTensor:
        return input.angle()
    x = input if input.is_floating_point() else input.to(torch.get_default_dtype())
    return _C.as_one("AngleBackward0", torch.where(x < 0, torch.pi, (x * 0).abs()))


# ---- shapes
def _shifted(dim, x, more=0):
    """A dimension of x as one of its pairs, whose last has the two parts; more: of what has one dimension more."""
    count = max(x.ndim + more, 1)
    if not isinstance(dim, int) or isinstance(dim, bool):
        return dim
    if not -count <= dim < count:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {dim})")
    return dim - 1 if dim < 0 else dim


def _wrapped(x, result):
    return tuple(map(ComplexTensor, result)) if isinstance(result, (tuple, list)) else same_or_new(x, result)


def _one_by_one(sizes):
    return sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes


def permute(self, *dims):
    return ComplexTensor(self.pairs.permute(*(d % self.ndim for d in _one_by_one(dims)), self.ndim))


def copy_(self, src, non_blocking=False):
    self.pairs.copy_(pairs_of(src, self.pairs))
    return self


def requires_grad_(self, requires_grad=True):
    self.pairs.requires_grad_(requires_grad)
    return self


def numpy(self, *, force=False):
    return self.pairs.contiguous().numpy(force=force).view(self.dtype.name)[..., 0]


def _by_sizes(name, last):
    def method(self, *sizes):
        sizes = _one_by_one(sizes)
        if last == 2 and -1 not in sizes and math.prod(sizes) != self.numel():
            raise RuntimeError(f"shape '{list(sizes)}' is invalid for input of size {self.numel()}")
        return _wrapped(self, getattr(self.pairs, name)(*sizes, last))

    return method


def _by_dims(name, places, **defaults):
    """The method of pairs, with what it is given at these places and by the names of dimensions counted as theirs."""

    more = name == "unsqueeze"

    def method(self, *args, **kwargs):
        args = [_shifted(x, self, more) if k in places else x for k, x in enumerate(args)]
        named = {key: _shifted(x, self, more) if "dim" in key else x for key, x in kwargs.items()}
        missing = {key: x for k, (key, x) in enumerate(defaults.items()) if k >= len(args) and key not in named}
        return _wrapped(self, getattr(self.pairs, name)(*args, **missing, **named))

    return method


# ---- calls that the real functions refuse
def _stand_in(name, /, *args, **kwargs):
    """What torch.NAME or x.NAME, which is for real tensors, gives of complex ones. NotImplemented: no argument is."""
    given = [part for x in (*args, *kwargs.values()) for part in (x if isinstance(x, (list, tuple)) else (x,))]
    for x in given:
        if hasattr(type(x), "stand_in"):  # a class of its own that means a tensor
            return type(x).stand_in(name, *args, **kwargs)
    like = next((x for x in given if type(x) is ComplexTensor), None)
    if like is None and not any(type(x) is ComplexDType for x in given):
        return NotImplemented
    if name in ("cat", "stack") and like is not None:
        return ComplexTensor(_joined(name, like, *args, **kwargs))
    if like is not None and args and isinstance(args[0], Tensor) and name in vars(ComplexTensor):
        return getattr(ComplexTensor(pairs_of(args[0], like.pairs)), name)(*args[1:], **kwargs)
    raise NotImplementedError(f"{name} is not there for complex numbers; {HERE}")


def _joined(name, like, tensors, dim=0):
    return getattr(torch, name)([pairs_of(x, like.pairs) for x in tensors], _shifted(dim, like, name == "stack"))


def _no_imag(self):
    raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")


def _attach():
    for name, last in ("view", 2), ("reshape", 2), ("expand", -1), ("repeat", 1):
        setattr(ComplexTensor, name, _by_sizes(name, last))
    for name in "clone contiguous detach cpu cuda".split():
        setattr(ComplexTensor, name, _by_dims(name, ()))
    for name in "unsqueeze squeeze select narrow unbind index_select unflatten".split():
        setattr(ComplexTensor, name, _by_dims(name, (0,)))
    for name in "transpose swapaxes swapdims movedim".split():
        setattr(ComplexTensor, name, _by_dims(name, (0, 1)))
    for name in "split chunk".split():
        setattr(ComplexTensor, name, _by_dims(name, (1,)))
    for function in permute, copy_, requires_grad_, numpy:
        setattr(ComplexTensor, function.__name__, function)
    ComplexTensor.flatten = _by_dims("flatten", (0, 1), start_dim=0, end_dim=-2)
    Tensor.imag, Tensor.conj, Tensor.angle = property(_no_imag), conj, angle
    _C.set_stand_in(_stand_in)


_attach()
__all__ = ["cdouble", "cfloat", "complex", "complex64", "complex128", "polar", "view_as_complex", "view_as_real"]
__all__ += ["is_complex", "real", "imag", "conj", "angle"]
