"""Writes PyTorch's files, in the instructions that _pickled.py reads."""

import struct
import zipfile
from collections import OrderedDict

import glassgrad as torch
from glassgrad import _C
from glassgrad._C import Parameter, Tensor
from glassgrad._pickled import STORAGE_OF


class _Written:
    """A storage to be written: as many elements as the tensors that were saved of it reach."""

    def __init__(self, key, tensor):
        self.key, self.tensor, self.count = key, tensor, 0

    def numbers(self):
        return _C.bytes_of(self.tensor.detach().as_strided((self.count,), (1,), 0))


class _Writer:
    """The program that builds an object: pieces of it, with a storage where its size is still to come."""

    def __init__(self, refuse):
        self.refuse, self.pieces, self.memo, self.kept, self.storages = refuse, [b"\x80\x02"], {}, [], {}

    def program(self):
        return b"".join(p if isinstance(p, bytes) else b"\x8a\x09" + p.count.to_bytes(9, "little") for p in self.pieces)

    def put(self, *pieces):
        self.pieces += pieces

    def once(self, thing):
        """Whether it is there already, and from now on it is."""
        at = self.memo.get(id(thing))
        if at is not None:
            self.put(b"j" + struct.pack("<I", at))
            return True
        return False

    def remember(self, thing):
        self.memo[id(thing)] = len(self.memo)
        self.kept.append(thing)  # so that its id is not reused
        self.put(b"r" + struct.pack("<I", self.memo[id(thing)]))

    def write(self, value, path=""):
        plain = _PLAIN.get(type(value))
        if plain:
            return plain(self, value)
        if self.once(value):
            return None
        for kind, write in _KINDS:
            if isinstance(value, kind):
                return write(self, value, path)
        if isinstance(value, (bool, int, float, str)):  # an IntEnum, a numpy.float64
            return self.write(next(kind for kind in (bool, int, float, str) if isinstance(value, kind))(value), path)
        return self.refuse(value, path)

    def name(self, home, name):
        self.put(f"c{home}\n{name}\n".encode())

    def integer(self, value):
        if 0 <= value < 1 << 31:
            self.put(b"J" + struct.pack("<i", value))
        else:
            size = value.bit_length() // 8 + 1
            if size > 255:
                raise OverflowError("an integer of more than 2000 bits cannot be saved")
            self.put(b"\x8a" + bytes([size]) + value.to_bytes(size, "little", signed=True))

    def text(self, value):
        letters = value.encode("utf-8", "surrogatepass")
        self.put(b"X" + struct.pack("<I", len(letters)) + letters)

    def bytes(self, value, path=""):
        self.name("_codecs", "encode")
        self.text(value.decode("latin1"))
        self.text("latin1")
        self.put(b"\x86R")

    def items(self, value, path):
        below = f"{path}." if path else ""
        for key, item in value.items():
            self.write(key, f"{below}{key}")
            self.write(item, f"{below}{key}")
            self.put(b"s")

    def dict(self, value, path):
        self.put(b"}")
        self.remember(value)
        self.items(value, path)

    def ordered(self, value, path):
        self.name("collections", "OrderedDict")
        self.put(b")R")
        self.remember(value)
        self.items(value, path)
        if hasattr(value, "_metadata"):
            self.write({"_metadata": value._metadata})
            self.put(b"b")

    def list(self, value, path):
        self.put(b"]")
        self.remember(value)
        for i, item in enumerate(value):
            self.write(item, f"{path}.{i}" if path else str(i))
            self.put(b"a")

    def tuple(self, value, path):
        self.put(b"(")
        for i, item in enumerate(value):
            self.write(item, f"{path}.{i}" if path else str(i))
        self.put(b"t")

    def set(self, value, path):
        self.name("__builtin__", "set")
        self.list(list(value), path)
        self.put(b"\x85R")

    def size(self, value, path):
        self.name("torch", "Size")
        self.tuple(value, path)
        self.put(b"\x85R")

    def device(self, value, path):
        self.name("torch", "device")
        self.text(str(value))
        self.put(b"\x85R")

    def dtype(self, value, path):
        self.name("torch", str(value).removeprefix("torch."))

    def tensor(self, value, path):
        parameter = isinstance(value, Parameter)
        if parameter:
            self.name("torch._utils", "_rebuild_parameter")
        storage, start = self.storage(value)
        self.name("torch._utils", "_rebuild_tensor_v2")
        self.put(b"((")
        self.text("storage")
        self.name("torch", STORAGE_OF[str(value.dtype).removeprefix("torch.")])
        self.text(storage.key)
        self.text(str(value.device))
        self.put(storage, b"tQ")
        for argument in (start, tuple(value.shape), value.stride(), value.requires_grad and not parameter):
            self.write(argument)
        self.name("collections", "OrderedDict")
        self.put(b")RtR")
        if parameter:
            self.write(value.requires_grad)
            self.name("collections", "OrderedDict")
            self.put(b")R\x87R")
        self.remember(value)

    def storage(self, x):
        """The storage of a tensor, and where in it the tensor begins. Tensors that share memory go on sharing it."""
        start = x.storage_offset() if x.numel() else 0
        key = (x.data_ptr() - start * x.element_size(), x.dtype, x.device) if x.numel() else len(self.storages)
        kept = self.storages.setdefault(key, _Written(str(len(self.storages)), x))
        if x.numel():
            reach = start + sum((n - 1) * step for n, step in zip(x.shape, x.stride()))
            kept.count = max(kept.count, reach + 1)
        return kept, start


_PLAIN = {
    type(None): lambda writer, _: writer.put(b"N"),
    bool: lambda writer, value: writer.put(b"\x88" if value else b"\x89"),
    int: _Writer.integer,
    float: lambda writer, value: writer.put(b"G" + struct.pack(">d", value)),
    str: _Writer.text,
}
_KINDS = [
    (Tensor, _Writer.tensor), (OrderedDict, _Writer.ordered), (dict, _Writer.dict), (list, _Writer.list),
    (torch.Size, _Writer.size), (tuple, _Writer.tuple), (set, _Writer.set), (bytes, _Writer.bytes),
    (torch.device, _Writer.device), (torch.dtype, _Writer.dtype),
]


def write(obj, file, folder, refuse):
    """Writes what PyTorch's load reads, with weights_only=True too. refuse(value, path) raises for what has no form."""
    writer = _Writer(refuse)
    writer.write(obj)
    writer.put(b".")
    with zipfile.ZipFile(file, "w") as archive:
        parts = [("data.pkl", writer.program), ("byteorder", lambda: b"little")]
        parts += [(f"data/{kept.key}", kept.numbers) for kept in writer.storages.values()]
        for name, content in [*parts, ("version", lambda: b"3\n")]:
            archive.writestr(zipfile.ZipInfo(f"{folder}/{name}"), content())  # a fixed date makes equal files
