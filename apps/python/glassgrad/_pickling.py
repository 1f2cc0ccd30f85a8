"""Writes PyTorch's files, in the instructions that _pickled.py reads."""

import _compat_pickle
import copyreg
import functools
import pickle
import struct
import sys
import types
from collections import OrderedDict

import glassgrad as torch
from glassgrad._C import Parameter, Tensor, _files
from glassgrad._names import new
from glassgrad._pickled import STORAGE_OF
from glassgrad.nn.modules.state import portable


class _Written:
    """A storage to be written: as many elements as the tensors that were saved of it reach."""

    def __init__(self, key, tensor):
        self.key, self.tensor, self.count = key, tensor, 0

    def numbers(self):
        return memoryview(_files.Memory(self.tensor.detach().as_strided((self.count,), (1,), 0)))


class _Writer:
    """The program that builds an object: pieces of it, with a storage where its size is still to come."""

    def __init__(self):
        self.pieces, self.memo, self.kept, self.storages = [b"\x80\x02"], {}, [], {}

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
        known = _KINDS.get(type(value))
        if known:
            return known(self, value, path)
        if isinstance(value, Tensor) and not hasattr(value, "materialize"):
            return self.tensor(value, path)
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            return self.named(value)
        return self.object(value, path)

    def name(self, home, name):
        home, name = _compat_pickle.REVERSE_NAME_MAPPING.get((home, name), (home, name))
        self.put(f"c{_compat_pickle.REVERSE_IMPORT_MAPPING.get(home, home)}\n{name}\n".encode())

    def named(self, thing):
        """A class or function. Those of the program are looked up under their names, as pickle does."""
        home, name = _home(thing), thing.__qualname__
        if home.partition(".")[0] == "torch":
            self.name(home, name)
        else:
            pickle.dumps(thing, 2)
            parent, _, last = name.rpartition(".")
            if not parent:
                self.name(home, name)
            else:  # a class in a class
                self.name("builtins", "getattr")
                self.named(functools.reduce(getattr, parent.split("."), sys.modules[home]))
                self.text(last)
                self.put(b"\x86R")
        self.remember(thing)

    def object(self, value, path):
        """Any other object, as its class says to pickles of protocol 2."""
        reduce = copyreg.dispatch_table.get(type(value))
        reduced = reduce(value) if reduce else value.__reduce_ex__(2)
        if isinstance(reduced, str):
            home = getattr(value, "__module__", None) or type(value).__module__
            self.name(home, reduced)
            return self.remember(value)
        call, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
        if isinstance(value, torch.nn.Module) and type(state) is dict:
            state = portable(state)
        if call is copyreg.__newobj__:
            kind, arguments, code = arguments[0], arguments[1:], b"\x81"
        elif call is new:  # a class that goes by PyTorch's name
            kind, arguments, code = type(value), (), b"\x81"
        else:
            kind, code = call, b"R"
        self.write(kind, path)
        self.tuple(arguments, path)
        self.put(code)
        self.remember(value)
        for item in items or ():
            self.write(item, path)
            self.put(b"a")
        for key, item in pairs or ():
            self.write(key, path)
            self.write(item, f"{path}.{key}" if path else str(key))
            self.put(b"s")
        if state is not None:
            self.write(state, path)
            self.put(b"b")

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
        state = None if hasattr(type(value), "holds_pairs") else dict(value.__dict__)
        if parameter:
            self.name("torch._utils", "_rebuild_parameter_with_state" if state else "_rebuild_parameter")
        elif state:
            self.name("torch._tensor", "_rebuild_from_type_v2")
        self.put(b"(" if parameter or state else b"")
        storage, start = self.storage(value)
        self.name("torch._utils", "_rebuild_tensor_v2")
        if state and not parameter:
            self.name("torch", "Tensor")
        self.put(b"((")
        self.text("storage")
        self.name("torch", STORAGE_OF[str(value.dtype).removeprefix("torch.")])
        self.text(storage.key)
        self.text(str(value.device))
        self.put(storage, b"tQ")
        for argument in (start, tuple(value.shape), value.stride(), value.requires_grad and not parameter):
            self.write(argument)
        self.name("collections", "OrderedDict")
        self.put(b")Rt")
        if parameter or not state:
            self.put(b"R")
        if parameter:
            self.write(value.requires_grad)
            self.name("collections", "OrderedDict")
            self.put(b")R")
        if state:
            self.write(state, path)
        self.put(b"tR" if parameter or state else b"")
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
_KINDS = {
    Tensor: _Writer.tensor, OrderedDict: _Writer.ordered, dict: _Writer.dict, list: _Writer.list,
    torch.Size: _Writer.size, tuple: _Writer.tuple, set: _Writer.set, bytes: _Writer.bytes,
    torch.device: _Writer.device, torch.dtype: _Writer.dtype,
}


def _home(thing):
    """The module that a file names for a class or function; PyTorch's for those of glassgrad."""
    for home, place in ("torch.nn.functional", torch.nn.functional), ("torch", torch), ("torch.nn.init", torch.nn.init):
        if vars(place).get(thing.__name__) is thing and not isinstance(thing, type):
            return home
    home = getattr(thing, "__module__", None) or "builtins"
    return "torch" + home.removeprefix("glassgrad") if home.partition(".")[0] == "glassgrad" else home


# ---- the zip
# Python's zipfile would take the checksums of zlib, which take as long as all the rest.
_MOST = 0xFFFFFFFE  # of 32 bits: larger sizes and places stand in an extra field


def _fitted(*numbers):
    """The numbers for fields of 32 bits, and the extra field with those that are too large for them."""
    large = [n for n in numbers if n > _MOST]
    extra = struct.pack(f"<HH{len(large)}Q", 1, 8 * len(large), *large) if large else b""
    return [n if n <= _MOST else 0xFFFFFFFF for n in numbers], extra


def _write_zip(file, parts):
    directory, at = [], 0
    for name, content in parts:
        content, letters = content(), name.encode("utf-8", "replace")
        size, crc = len(content), _files.crc32(content)

        def entry(mark, more, *place):
            (short, _, *place), extra = _fitted(size, size, *place)
            kind = struct.pack("<5H", 45 if extra else 20, 0 if name.isascii() else 0x800, 0, 0, 33)  # a fixed date
            sizes = struct.pack("<3I2H", crc, short, short, len(letters), len(extra))
            rest = struct.pack("<3H2I", 0, 0, 0, 0o600 << 16, *place) if place else b""
            return mark + more + kind + sizes + rest + letters + extra

        local = entry(b"PK\x03\x04", b"")
        directory.append(entry(b"PK\x01\x02", b"\x14\x03", at))
        file.write(local)
        file.write(content)
        at += len(local) + size
    count, listed = len(directory), b"".join(directory)
    end = b""
    if count >= 0xFFFF or at > _MOST:
        end = b"PK\x06\x06" + struct.pack("<Q2H2I4Q", 44, 45, 45, 0, 0, count, count, len(listed), at)
        end += b"PK\x06\x07" + struct.pack("<IQI", 0, at + len(listed), 1)
    count = min(count, 0xFFFF)
    end += b"PK\x05\x06" + struct.pack("<4H2IH", 0, 0, count, count, len(listed), min(at, 0xFFFFFFFF), 0)
    file.write(listed + end)


def write(obj, file, folder):
    """Writes what PyTorch's load reads, and with weights_only=True where tensors stand in plain containers."""
    writer = _Writer()
    writer.write(obj)
    writer.put(b".")
    parts = [("data.pkl", writer.program), ("byteorder", lambda: b"little")]
    parts += [(f"data/{kept.key}", kept.numbers) for kept in writer.storages.values()]
    _write_zip(file, [(f"{folder}/{name}", content) for name, content in [*parts, ("version", lambda: b"3\n")]])
