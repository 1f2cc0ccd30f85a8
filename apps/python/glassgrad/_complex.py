"""Complex tensors as far as rotary embeddings need them: pairs of real numbers, which multiply."""

import warnings

import glassgrad as torch
from glassgrad import _C, _complex_text
from glassgrad._C import Tensor
from glassgrad._C import as_one as _as_one
from glassgrad._complex_dtype import ComplexDType, complex64, complex128
from glassgrad._complex_product import conjugate, product

HERE = ("glassgrad's complex tensors are there for rotary embeddings: +, -, *, ==, abs, angle, conj, real, imag, "
        "shapes, indices, devices; torch.view_as_real(x) is a real tensor, which has all the rest")
_OF_PAIRS = set("_version device requires_grad is_leaf grad_fn retains_grad retain_grad is_cuda is_contiguous".split())


class ComplexTensor:
    """A tensor of complex numbers. pairs has them: a real tensor whose last dimension is 2, real and imaginary part."""

    __class__ = property(lambda self: Tensor)  # for isinstance()
    __hash__ = object.__hash__
    holds_pairs = True

    def __init__(self, pairs, node=None):
        self.pairs = _as_one(node, pairs) if node else pairs

    dtype = property(lambda self: complex64 if self.pairs.dtype is _C.float32 else complex128)
    shape = property(lambda self: self.pairs.shape[:-1])
    ndim = property(lambda self: self.pairs.dim() - 1)
    real = property(lambda self: self.pairs.select(-1, 0))
    imag = property(lambda self: self.pairs.select(-1, 1))
    data = property(lambda self: ComplexTensor(self.pairs.data))
    grad = property(lambda self: self.pairs.grad if self.pairs.grad is None else ComplexTensor(self.pairs.grad))
    dim = ndimension = lambda self: self.ndim
    numel = nelement = lambda self: self.pairs.numel() // 2
    element_size = lambda self: self.dtype.itemsize
    type = lambda self: f"torch.Complex{'Float' if self.dtype is complex64 else 'Double'}Tensor"
    is_complex = lambda self: True
    is_floating_point = lambda self: False
    __repr__ = _complex_text.text

    def __reduce_ex__(self, protocol):
        return ComplexTensor, (self.pairs,)

    def __getattr__(self, name):
        if name in _OF_PAIRS:
            return getattr(self.pairs, name)
        raise AttributeError(f"a complex tensor has no {name} here; {HERE}")

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim=None):
        strides = tuple(step // 2 for step in self.pairs.stride()[:-1])
        return strides if dim is None else strides[dim]

    def item(self):
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return complex(*self.pairs.flatten().tolist())

    def tolist(self):
        return [part.tolist() for part in self] if self.ndim else self.item()

    def __len__(self):
        return len(self.pairs[..., 0])

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index):
        try:
            return ComplexTensor(self.pairs[_index(index, self.ndim)])
        except IndexError:
            return self.real[index]  # raises the error with the right shape

    def __setitem__(self, index, value):
        self.pairs[_index(index, self.ndim)] = pairs_of(value, self.pairs)

    def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False):
        given = [(x.dtype, x.device) if isinstance(x, Tensor) else (None, x)
                 if not (isinstance(x, ComplexDType) or _C.is_dtype(x)) else (x, None)
                 for x in (*args, dtype, device) if x is not None and not isinstance(x, bool)]
        kind = next((kind for kind, _ in reversed(given) if kind is not None), self.dtype)
        place = next((place for _, place in reversed(given) if place is not None), None)
        if not kind.is_complex:
            warnings.warn("Casting complex values to real discards the imaginary part", stacklevel=2)
            return self.real.to(place, kind)
        return same_or_new(self, self.pairs.to(place, kind.real, copy=copy))

    def equal(self, other):
        return self.dtype is other.dtype and self.pairs.equal(other.pairs)

    def abs(self):
        nothing = (self.pairs == 0).all(-1)  # zeros, whose gradient is 0
        pairs = torch.where(nothing.unsqueeze(-1), 1.0, self.pairs) if self.pairs.requires_grad else self.pairs
        size = torch.hypot(*pairs.unbind(-1))
        return _as_one("AbsBackward0", torch.where(nothing, 0.0, size) if self.pairs.requires_grad else size)

    def angle(self):
        return _as_one("AngleBackward0", torch.atan2(self.imag, self.real))

    def conj(self):
        return ComplexTensor(conjugate(self.pairs), "ConjBackward0")

    def neg(self):
        return ComplexTensor(-self.pairs)

    def mul(self, other):
        return ComplexTensor(product(self.pairs, pairs_of(other, self.pairs)), "MulBackward0")

    def add(self, other):
        return ComplexTensor(self.pairs + pairs_of(other, self.pairs))

    def sub(self, other):
        return ComplexTensor(self.pairs - pairs_of(other, self.pairs))

    def rsub(self, other):
        node = None if isinstance(other, Tensor) else "RsubBackward1"
        return ComplexTensor(pairs_of(other, self.pairs) - self.pairs, node)

    def eq(self, other):
        return (self.pairs == pairs_of(other, self.pairs)).all(-1)

    __abs__, __neg__, __eq__, __ne__ = abs, neg, eq, lambda self, other: ~self.eq(other)
    __mul__, __rmul__, __add__, __radd__, __sub__, __rsub__ = mul, mul, add, add, sub, rsub


def same_or_new(x, pairs):
    return x if pairs is x.pairs else ComplexTensor(pairs)


def _reach(part):
    """How many dimensions a part of an index takes."""
    if isinstance(part, Tensor) and part.dtype is _C.bool:
        return part.dim()
    return 0 if part is None or part is Ellipsis or isinstance(part, bool) else 1


def _index(index, dims):
    """For the pairs: an ellipsis ends before their last dimension, which no index reaches."""
    index = index if isinstance(index, tuple) else (index,)
    if sum(map(_reach, index)) > dims:
        raise IndexError(f"too many indices for tensor of dimension {dims}")
    return (*index, slice(None)) if any(part is Ellipsis for part in index) else index


def pairs_of(x, like):
    """x as pairs beside others: of a real number with 0 as its imaginary part."""
    if type(x) is ComplexTensor:
        return x.pairs
    if not isinstance(x, Tensor):
        return like.new_tensor([complex(x).real, complex(x).imag])
    x = x if x.dtype is _C.float64 and (x.dim() or like.dim() == 1) else x.to(like.dtype)
    return torch.stack([x, torch.zeros_like(x)], -1)
