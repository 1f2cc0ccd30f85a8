"""The memory behind tensors (torch.storage): whose it is, how large, and its numbers one after the other."""

import warnings
import weakref

from glassgrad import _C
from glassgrad._C import Tensor
from glassgrad._names import missing as _missing
from glassgrad._names import typename as _typename

_RESIZED = ("glassgrad's storages keep their size: delete the tensors that use one and its memory is given back; "
            "torch.empty(size) makes a larger one")
_known = weakref.WeakValueDictionary()
_has_warned = False


def _whole(x):
    """All numbers of a tensor's memory, one-dimensional."""
    x = x.detach()
    try:
        x.as_strided((1 << 56,), (1,), 0)
    except RuntimeError as error:  # says how many bytes there are
        count = int(str(error).rpartition(" ")[2]) // x.element_size()
    return x.as_strided((count,), (1,), 0)


def untyped(x):
    """The storage of a tensor: one object for all tensors that share it, as long as the object lives."""
    numbers = _whole(x)
    key = (numbers.data_ptr(), str(numbers.device))
    storage = _known.get(key) if numbers.numel() else None
    if storage is None or storage.nbytes() != numbers.nbytes:
        storage = object.__new__(UntypedStorage)
        storage._numbers = numbers
        _known[key] = storage
    return storage


def typed(x):
    """The storage of a tensor as numbers of its dtype. Warns once: the class is deprecated."""
    global _has_warned
    if not _has_warned:
        _has_warned = True
        warnings.warn(
            "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
            "class. This should only matter to you if you are using storages directly.  To access UntypedStorage "
            "directly, use tensor.untyped_storage() instead of tensor.storage()", stacklevel=3)
    return TypedStorage(x)


class _Storage:
    """What both kinds answer: _numbers is a tensor over all of the memory."""

    def _text(self, kind):
        items = "\n ".join(map(str, self.tolist()))
        return f" {items}\n[{_typename(self)}({kind}device={self.device}) of size {len(self)}]"

    device = property(lambda self: self._numbers.device)
    is_cuda = property(lambda self: self._numbers.is_cuda)
    _cdata = property(lambda self: hash((self.data_ptr(), self.nbytes())))

    def nbytes(self):
        """How many bytes it has."""
        return self._numbers.nbytes

    def data_ptr(self):
        """Where it begins in memory."""
        return self._numbers.data_ptr() if self.nbytes() else 0

    def __len__(self):
        return self.size()

    def __iter__(self):
        return iter(self.tolist())

    def _place(self, index, named=None):
        """A place counted from the front; IndexError, which names this index."""
        if not -len(self) <= index < len(self):
            named = index if named is None else named
            raise IndexError(f"index {named} out of range for storage of size {len(self)}")
        return index % len(self)

    def get_device(self):
        """The number of its GPU; None: the CPU."""
        return self._numbers.get_device() if self.is_cuda else None

    def is_shared(self):
        """False: nothing is shared between processes."""
        return False

    def is_pinned(self, device="cuda"):
        """False."""
        return False

    def share_memory_(self):
        """Itself."""
        return self

    pin_memory = share_memory_

    def resize_(self, size):
        """NotImplementedError, but where it has that size."""
        if size != self.size():
            raise NotImplementedError(_RESIZED)
        return self

    def clone(self):
        """A storage of its own with the same content."""
        return self._of(self._numbers.clone())

    def cpu(self):
        """Its copy on the CPU; the same memory if it lies there."""
        return self._of(self._numbers.cpu())

    def cuda(self, device=None, non_blocking=False):
        """Its copy on a GPU; Tensor.cuda's errors."""
        return self._of(self._numbers.cuda(device))

    def copy_(self, source, non_blocking=False):
        """Takes over the content of another storage of the same size."""
        self._numbers.copy_(source._numbers)
        return self


class UntypedStorage(_Storage):
    """A stretch of memory, as bytes."""

    _of = staticmethod(untyped)

    def __new__(cls, size=0):
        import glassgrad as torch
        if not isinstance(size, int):
            size = list(size)
        return untyped(torch.empty(size, dtype=_C.uint8) if isinstance(size, int) else _C.tensor(size, _C.uint8))

    def size(self):
        """nbytes()."""
        return self.nbytes()

    def element_size(self):
        """1."""
        return 1

    def untyped(self):
        """Itself."""
        return self

    def tolist(self):
        """The bytes, as numbers from 0 to 255."""
        return list(_C.bytes_of(self._numbers))

    def __getitem__(self, index):
        if isinstance(index, int):
            return _C.bytes_of(self._numbers)[self._place(index, index + len(self) if index < 0 else index)]
        if not isinstance(index, slice):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        content = _C.bytes_of(self._numbers)[index]
        return untyped(_C.from_bytes(content, (len(content),), _C.uint8))

    def __setitem__(self, index, value):
        content = bytearray(_C.bytes_of(self._numbers))
        for place in [self._place(index)] if isinstance(index, int) else range(*index.indices(len(content))):
            content[place] = value
        self._numbers.copy_(_C.from_bytes(bytes(content), tuple(self._numbers.shape), self._numbers.dtype))

    def fill_(self, value):
        """Every byte becomes value."""
        self[:] = value
        return self

    def __repr__(self):
        return self._text("")


class TypedStorage(_Storage):
    """A stretch of memory, as numbers of one dtype."""

    def __init__(self, x):
        if not isinstance(x, Tensor):
            raise TypeError(f"glassgrad's TypedStorage is made by tensor.storage(), not of {type(x).__name__}")
        self._numbers = _whole(x)

    @classmethod
    def _of(cls, x):
        return cls(x)

    dtype = property(lambda self: self._numbers.dtype)
    _untyped_storage = property(lambda self: untyped(self._numbers))

    def untyped(self):
        """The same memory as bytes."""
        return untyped(self._numbers)

    def size(self):
        """How many numbers it has."""
        return self._numbers.numel()

    def element_size(self):
        """How many bytes a number has."""
        return self._numbers.element_size()

    def type(self):
        """'torch.FloatStorage' and so on."""
        return self._numbers.type().replace("Tensor", "Storage").replace(".cuda", "")

    pickle_storage_type = type

    def tolist(self):
        """The numbers."""
        return self._numbers.tolist()

    def _index(self, index, refusal):
        if isinstance(index, slice):
            raise RuntimeError(refusal)
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        return self._place(index)

    def __getitem__(self, index):
        return self._numbers[self._index(index, "slices are only supported in UntypedStorage.__getitem__")].item()

    def __setitem__(self, index, value):
        self._numbers[index if isinstance(index, slice) else self._index(index, "")] = value

    def fill_(self, value):
        """Every number becomes value."""
        self._numbers.fill_(value)
        return self

    def __repr__(self):
        return self._text(f"dtype={self.dtype}, ")


class _LegacyStorage(type):
    def __instancecheck__(cls, obj):
        return isinstance(obj, TypedStorage) and obj.dtype is cls.dtype

    def __call__(cls, numbers=0):
        import glassgrad as torch
        if isinstance(numbers, int):
            return TypedStorage(torch.empty(numbers, dtype=cls.dtype))
        return TypedStorage(_C.tensor(list(numbers), cls.dtype))


def is_storage(obj):
    """Is it a storage of either kind?"""
    return isinstance(obj, _Storage)


def _cast(name, dtype):
    def method(self):
        return TypedStorage(self._numbers.to(dtype))

    method.__name__, method.__doc__ = name, f"Its numbers as {dtype}."
    return method


for _name, _dtype in _C.dtypes.items():
    setattr(TypedStorage, _name.lower(), _cast(_name.lower(), _dtype))
    globals()[f"{_name}Storage"] = _LegacyStorage(f"{_name}Storage", (), {"dtype": _dtype, "__module__": "torch"})
for _kind in UntypedStorage, TypedStorage:
    _kind.__module__ = "torch.storage"
__getattr__ = _missing("torch.storage", globals())
