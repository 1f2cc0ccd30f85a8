"""PyTorch's files: a zip of a pickle, which is a program that puts the saved things together, and of the numbers.

Python's own pickle runs whatever a file tells it to. Here a program is read by a machine that knows the instructions
and the names on its lists, builds nothing else and calls nothing else; writing uses the same lists.
"""

import struct
import zipfile
from collections import Counter, OrderedDict

import glassgrad as torch
from glassgrad import _C
from glassgrad._C import Parameter, Tensor

# The kinds of storage that PyTorch names, with the dtype of their elements.
STORAGES = {
    "DoubleStorage": "float64", "FloatStorage": "float32", "HalfStorage": "float16", "BFloat16Storage": "bfloat16",
    "LongStorage": "int64", "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8",
    "ByteStorage": "uint8", "BoolStorage": "bool", "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128",
}
_STORAGE_OF = {name: storage for storage, name in STORAGES.items()}


class Refused(Exception):
    """What is wrong with a file."""


class _Name:
    """A name on the list: what a program may call, by REDUCE, or hand on as the kind of a storage."""

    def __init__(self, call=None, dtype=None):
        self.call, self.dtype = call, dtype


class _Storage:
    """The numbers of a storage, a tensor with one dimension."""

    def __init__(self, numbers):
        self.numbers = numbers


# ---- what a program may build
def _tensor(storage, offset, size, stride, requires_grad, hooks, metadata=None):
    if not isinstance(storage, _Storage) or type(offset) is not int or type(requires_grad) is not bool:
        raise Refused("its pickle describes no tensor")
    numbers = storage.numbers
    if (size, stride, offset) != ((len(numbers),), (1,), 0):
        numbers = numbers.as_strided(size, stride, offset)  # refuses what reaches beyond the storage
    return numbers.detach().requires_grad_(requires_grad)


def _parameter(data, requires_grad, hooks):
    return Parameter(data, requires_grad)


def _bytes(text="", encoding="latin1"):
    if encoding != "latin1":
        raise Refused(f"bytes in the encoding {encoding!r}")
    return text.encode(encoding)


def _key(key):
    """Of a dict or a set: nothing that takes long to hash, as tuples of tuples of tuples may."""
    parts = key if type(key) is tuple else (key,)
    if not all(isinstance(part, (type(None), bool, int, float, str, bytes)) for part in parts):
        raise Refused("a key that is neither a number nor a text")
    return key


def _set(items):
    return {_key(item) for item in items}


def _only(kind, call):
    """Calls with at most one argument, which has to be of that kind."""

    def make(*args):
        if len(args) > 1 or not all(type(arg) is kind for arg in args):
            raise Refused(f"arguments that are no {kind.__name__}")
        return call(*args)

    return make


_NAMES = {
    "torch._utils _rebuild_tensor_v2": _Name(_tensor),
    "torch._utils _rebuild_parameter": _Name(_parameter),
    "collections OrderedDict": _Name(lambda: OrderedDict()),
    "collections Counter": _Name(_only(dict, Counter)),
    "_codecs encode": _Name(_bytes),
    **{f"{home} {name}": _Name(call) for home in ("__builtin__", "builtins") for name, call in (
        ("set", _only(list, _set)), ("bytes", _only(str, _bytes)), ("bytearray", _only(bytes, bytearray)))},
    "torch Size": _Name(_only(tuple, torch.Size)),
    "torch device": _Name(lambda kind, index=None: torch.device(kind if index is None else f"{kind}:{index}")),
    **{f"torch {storage}": _Name(dtype=dtype) for storage, dtype in STORAGES.items()},
}


def _named(name):
    home, _, of_torch = name.partition(" ")
    if name in _NAMES:
        return _NAMES[name]
    if home == "torch" and of_torch in _STORAGE_OF:
        return _dtype(of_torch)
    raise Refused(f"it holds {_shown(name.replace(' ', '.'))}, and glassgrad reads nothing but tensors, numbers and "
                  "texts in dicts, lists and tuples: in PyTorch, save the state_dict() of a module")


def _shown(text):
    """What a file says, fit for a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:100])


def _dtype(name):
    if not hasattr(_C, name):
        raise Refused(f"glassgrad has no torch.{name}: in PyTorch, save the tensors as float()")
    return getattr(_C, name)


# ---- reading a program
class _Machine:
    """Runs the instructions of a pickle of protocol 2; storage(dtype, key, location, count) gives the numbers."""

    def __init__(self, program, storage):
        self.program, self.at, self.storage = program, 0, storage
        self.stack, self.below, self.memo = [], [], {}

    def run(self):
        while True:
            code = self.take(1)[0]
            if code == 0x2E:  # STOP
                if len(self.stack) != 1 or self.below:
                    raise Refused("its pickle ends with a wrong number of results")
                return self.pop()
            if code not in _INSTRUCTIONS:
                raise Refused(f"its pickle has the instruction {code:#04x}, which glassgrad does not run")
            _INSTRUCTIONS[code](self)

    def take(self, count):
        taken = self.program[self.at:self.at + count]
        if len(taken) < count:
            raise Refused("its pickle ends too early")
        self.at += count
        return taken

    def number(self, layout):
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))[0]

    def line(self):
        end = self.program.index(b"\n", self.at)
        taken = self.take(end + 1 - self.at)
        return taken[:-1].decode("utf-8")

    def pop(self):
        if not self.stack:
            raise Refused("its pickle takes from an empty stack")
        return self.stack.pop()

    def top(self, kind):
        if not self.stack or not isinstance(self.stack[-1], kind):
            raise Refused("its pickle adds to something else than a list or a dict")
        return self.stack[-1]

    # the instructions that do more than push
    def protocol(self):
        version = self.take(1)[0]
        if version != 2:
            raise Refused(f"its pickle is of protocol {version}, not 2: save it without pickle_protocol")

    def mark(self):
        self.below.append(self.stack)
        self.stack = []

    def since_mark(self):
        if not self.below:
            raise Refused("its pickle has no mark")
        items, self.stack = self.stack, self.below.pop()
        return items

    def tuple(self, count):
        self.stack.append(tuple([self.pop() for _ in range(count)][::-1]))

    def append(self, items):
        self.top(list).extend(items)

    def set_items(self, items):
        if len(items) % 2:
            raise Refused("its pickle has a key without a value")
        made = self.top(dict)
        for key, value in zip(items[::2], items[1::2]):
            made[_key(key)] = value

    def pair(self):
        value, key = self.pop(), self.pop()
        return [key, value]

    def call(self):
        arguments, name = self.pop(), self.pop()
        if not isinstance(name, _Name) or name.call is None or type(arguments) is not tuple:
            raise Refused("its pickle calls what is no function")
        self.stack.append(name.call(*arguments))

    def build(self):
        state, made = self.pop(), self.top(OrderedDict)
        if type(state) is not dict or list(state) != ["_metadata"]:
            raise Refused("its pickle sets attributes")
        made._metadata = state["_metadata"]  # of a module's state_dict

    def persistent(self):
        kind, storage, key, location, count = self.pop()
        if kind != "storage" or not isinstance(storage, _Name) or storage.dtype is None:
            raise Refused("its pickle names a storage of no kind")
        self.stack.append(self.storage(_dtype(storage.dtype), key, location, count))

    def keep(self, place):
        if not self.stack:
            raise Refused("its pickle keeps what is not there")
        self.memo[place] = self.stack[-1]


def _push(value):
    def run(machine):
        pushed = value(machine)  # first, for it may put another stack there
        machine.stack.append(pushed)

    return run


_INSTRUCTIONS = {
    ord(code): run for code, run in {
        "\x80": _Machine.protocol,
        "(": _Machine.mark,
        "N": _push(lambda m: None),
        "\x88": _push(lambda m: True),
        "\x89": _push(lambda m: False),
        "J": _push(lambda m: m.number("i")),
        "K": _push(lambda m: m.number("B")),
        "M": _push(lambda m: m.number("H")),
        "\x8a": _push(lambda m: int.from_bytes(m.take(m.number("B")), "little", signed=True)),
        "G": _push(lambda m: struct.unpack(">d", m.take(8))[0]),
        "X": _push(lambda m: m.take(m.number("I")).decode("utf-8", "surrogatepass")),
        "c": _push(lambda m: _named(f"{m.line()} {m.line()}")),
        "}": _push(lambda m: {}),
        "]": _push(lambda m: []),
        ")": _push(lambda m: ()),
        "t": _push(lambda m: tuple(m.since_mark())),
        "\x85": lambda m: m.tuple(1),
        "\x86": lambda m: m.tuple(2),
        "\x87": lambda m: m.tuple(3),
        "a": lambda m: m.append([m.pop()]),
        "e": lambda m: m.append(m.since_mark()),
        "s": lambda m: m.set_items(m.pair()),
        "u": lambda m: m.set_items(m.since_mark()),
        "R": _Machine.call,
        "b": _Machine.build,
        "Q": _Machine.persistent,
        "q": lambda m: m.keep(m.number("B")),
        "r": lambda m: m.keep(m.number("I")),
        "h": _push(lambda m: m.memo[m.number("B")]),
        "j": _push(lambda m: m.memo[m.number("I")]),
    }.items()
}


# ---- reading a file
class _Archive:
    """The zip around a pickle: one folder of files that are not compressed."""

    def __init__(self, file, place):
        self.zip, self.place, self.storages = zipfile.ZipFile(file), place, {}
        self.left = sum(part.compress_size for part in self.zip.infolist())
        file.seek(0, 2)
        self.left = min(self.left, file.tell())  # parts that overlap would be more
        pickles = [name for name in self.zip.namelist() if name.count("/") == 1 and name.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise Refused("a zip, but none of PyTorch's: it has no data.pkl")
        self.folder = pickles[0][:-len("data.pkl")]

    def read(self, name):
        part = self.zip.getinfo(self.folder + name)
        if part.compress_type != zipfile.ZIP_STORED:
            raise Refused(f"{name} is compressed, which PyTorch's files are not")
        self.left -= part.file_size
        if self.left < 0:
            raise Refused("its parts overlap")
        return self.zip.read(part)

    def load(self):
        if self.folder + "byteorder" in self.zip.namelist() and self.read("byteorder") != b"little":
            raise Refused("its numbers are not little-endian")
        return _Machine(self.read("data.pkl"), self.storage).run()

    def storage(self, dtype, key, location, count):
        if key not in self.storages:
            numbers = _C.from_bytes(self.read(f"data/{key}"), (count,), dtype)
            self.storages[key] = _Storage(numbers.to(self.place(location)))
        return self.storages[key]


_MALFORMED = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RuntimeError, NotImplementedError,
              EOFError, struct.error, zipfile.BadZipFile, MemoryError)


def read(file, name, place):
    """What a file of PyTorch's holds; `place` gives the device for the one that a storage was on, "cpu" or "cuda:0".

    RuntimeError, which begins with `name`, for every other file.
    """
    try:
        return _Archive(file, place).load()
    except Refused as error:
        raise RuntimeError(f"{name}: {error}") from None
    except _MALFORMED as error:
        raise RuntimeError(f"{name}: not a file of PyTorch's, or a damaged one: {_shown(str(error))}") from None


# ---- writing
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
        self.kept.append(thing)  # so that its id stays its own
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
        self.name("torch", _STORAGE_OF[str(value.dtype).removeprefix("torch.")])
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
            archive.writestr(zipfile.ZipInfo(f"{folder}/{name}"), content())  # of the same day always: the same bytes
