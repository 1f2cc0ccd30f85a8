"""Reads PyTorch's files: a zip of a pickle, a program that puts the saved things together, and of the numbers.

Python's own pickle runs whatever a file tells it to. Here a program is read by a machine that knows the instructions
and the names on its lists, builds nothing else and calls nothing else; names that are on no list are looked up by a
_pickled_objects.Names. _pickling.py writes such files.
"""

import struct
import zipfile
from collections import Counter, OrderedDict, deque
from enum import Enum

import glassgrad as torch
from glassgrad import _C
from glassgrad._C import Parameter, Tensor

# PyTorch's storage classes, with the dtype of their elements.
STORAGES = {
    "DoubleStorage": "float64", "FloatStorage": "float32", "HalfStorage": "float16", "BFloat16Storage": "bfloat16",
    "LongStorage": "int64", "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8",
    "ByteStorage": "uint8", "BoolStorage": "bool", "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128",
}
STORAGE_OF = {name: storage for storage, name in STORAGES.items()}


class Refused(Exception):
    """What is wrong with a file."""


class Raised(Exception):
    """Carries an error that is no fault of the file's bytes past those who catch errors of damaged ones."""

    def __init__(self, error):
        self.error = error


class _Name:
    """A name on the list: what a program may call, by REDUCE, or hand on as the kind of a storage."""

    def __init__(self, call=None, dtype=None):
        self.call, self.dtype = call, dtype


class _Storage:
    """The numbers of a storage, a tensor with one dimension."""

    def __init__(self, numbers):
        self.numbers = numbers


# ---- functions that a pickle may call
def _tensor(storage, offset, size, stride, requires_grad, hooks, metadata=None):
    if not isinstance(storage, _Storage) or type(offset) is not int or type(requires_grad) is not bool:
        raise Refused("its pickle describes no tensor")
    numbers = storage.numbers
    if (size, stride, offset) != ((len(numbers),), (1,), 0):
        numbers = numbers.as_strided(size, stride, offset)  # refuses elements beyond the storage
    return numbers.detach().requires_grad_(requires_grad)


def _parameter(data, requires_grad, hooks):
    return Parameter(data, requires_grad)


def _parameter_with_state(data, requires_grad, hooks, state):
    return _with_state(Parameter(data, requires_grad), state)


def _of_type(name, kind, arguments, state):
    if not isinstance(name, _Name) or name.call not in (_tensor, _parameter) or kind not in (Tensor, Parameter):
        raise Refused("its pickle describes no tensor")
    return _with_state(name.call(*arguments), state)


def _with_state(x, state):
    if type(state) is not dict or not all(type(name) is str for name in state):
        raise Refused("its pickle gives a tensor a state that is no dict of attributes")
    x.__dict__.update(state)
    return x


def _bytes(text="", encoding="latin1"):
    if encoding != "latin1":
        raise Refused(f"bytes in the encoding {encoding!r}")
    return text.encode(encoding)


def _bytearray(content=b"", *encoding):
    if type(content) is str and encoding == ("latin-1",):
        content, encoding = content.encode("latin1"), ()
    if type(content) is not bytes or encoding:
        raise Refused("arguments that are no bytes")
    return bytearray(content)


# All have quick hashes: tensors, by which optimizers have their states, and members of enums that of their identity.
_KEYS = (type(None), bool, int, float, str, bytes, type, Enum, Tensor, torch.dtype, torch.device)


def checked_key(key):
    """Of a dict or a set: nothing that takes long to hash, as tuples of tuples of tuples may."""
    parts = key if type(key) is tuple else (key,)
    if not all(isinstance(part, _KEYS) for part in parts):
        raise Refused("a key that is neither a number nor a text")
    return key


def _set(items):
    return {checked_key(item) for item in items}


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
    "torch._utils _rebuild_parameter_with_state": _Name(_parameter_with_state),
    "torch._tensor _rebuild_from_type_v2": _Name(_of_type),
    "_codecs encode": _Name(_bytes),
    **{f"torch {storage}": _Name(dtype=dtype) for storage, dtype in STORAGES.items()},
}


# Classes, which may stand for themselves, and how a program may call them.
_CLASSES = {
    "collections OrderedDict": (OrderedDict, lambda: OrderedDict()),
    "collections Counter": (Counter, _only(dict, Counter)),
    **{f"{home} {kind.__name__}": (kind, call) for home in ("__builtin__", "builtins") for kind, call in (
        (set, _only(list, _set)), (bytes, _only(str, _bytes)), (bytearray, _bytearray), (complex, complex))},
    "torch Size": (torch.Size, _only(tuple, torch.Size)),
    "torch device": (torch.device, lambda kind, index=None: torch.device(kind if index is None else f"{kind}:{index}")),
    "torch Tensor": (Tensor, None),
    "torch.nn.parameter Parameter": (Parameter, None),
}
_CALLS = {id(kind): call for kind, call in _CLASSES.values() if call}


def _listed(name):
    """What a name on the lists stands for, None for another one."""
    home, _, of_torch = name.partition(" ")
    if name in _NAMES:
        return _NAMES[name]
    if name in _CLASSES:
        return _CLASSES[name][0]
    return _dtype(of_torch) if home == "torch" and of_torch in STORAGE_OF else None


def shown(text):
    """What a file says, fit for a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:100])


def _dtype(name):
    if not hasattr(_C, name):
        raise Refused(f"glassgrad has no torch.{name}: in PyTorch, save the tensors as float()")
    return getattr(_C, name)


# ---- reading a pickle
class _Machine:
    """Runs the instructions of a pickle of protocol 2; storage(dtype, key, location, count) gives the numbers, and
    names, a _pickled_objects.Names, what is on no list.
    """

    def __init__(self, program, storage, names):
        self.program, self.at, self.storage, self.names = program, 0, storage, names
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
        self.top((list, deque)).extend(items)

    def set_items(self, items):
        if len(items) % 2:
            raise Refused("its pickle has a key without a value")
        made = self.top(dict)
        for key, value in zip(items[::2], items[1::2]):
            made[checked_key(key)] = value

    def pair(self):
        value, key = self.pop(), self.pop()
        return [key, value]

    def named(self):
        name = f"{self.line()} {self.line()}"
        known = _listed(name)
        self.stack.append(self.names.find(*name.split(" ", 1)) if known is None else known)

    def call(self):
        arguments, name = self.pop(), self.pop()
        if type(arguments) is not tuple:
            raise Refused("its pickle calls without arguments")
        call = name.call if isinstance(name, _Name) else _CALLS.get(id(name))
        self.stack.append(call(*arguments) if call else self.names.call(name, arguments))

    def new(self):
        arguments, kind = self.pop(), self.pop()
        if type(arguments) is not tuple:
            raise Refused("its pickle makes an object without arguments")
        self.stack.append(self.names.new(kind, arguments))

    def build(self):
        state, made = self.pop(), self.top(object)
        if type(made) is not OrderedDict:
            return self.names.build(made, state)
        if type(state) is not dict or list(state) != ["_metadata"]:
            raise Refused("its pickle sets attributes")
        made._metadata = state["_metadata"]  # the metadata of a module's state_dict

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
        pushed = value(machine)  # before the stack is read: value() may replace it
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
        "c": _Machine.named,
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
        "\x81": _Machine.new,
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

    def __init__(self, file, place, names):
        self.zip, self.file, self.place, self.names, self.storages = zipfile.ZipFile(file), file, place, names, {}
        self.left = sum(part.compress_size for part in self.zip.infolist())
        file.seek(0, 2)
        self.left = min(self.left, file.tell())  # overlapping parts would add up to more
        pickles = [name for name in self.zip.namelist() if name.count("/") == 1 and name.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise Refused("a zip, but none of PyTorch's: it has no data.pkl")
        self.folder = pickles[0][:-len("data.pkl")]

    def part(self, name):
        part = self.zip.getinfo(self.folder + name)
        if part.compress_type != zipfile.ZIP_STORED or part.compress_size != part.file_size:
            raise Refused(f"{name} is compressed, which PyTorch's files are not")
        self.left -= part.file_size
        if self.left < 0:
            raise Refused("its parts overlap")
        return part

    def read(self, name):
        return self.zip.read(self.part(name))

    def numbers(self, part, dtype, count):
        """Fills the memory of a tensor. zipfile would read into memory of its own, from which it would be copied."""
        if type(count) is not int or part.file_size != count * dtype.itemsize:
            raise Refused(f"{part.file_size} bytes do not fill a storage of {count} elements")
        self.file.seek(part.header_offset)
        mark, name, more = struct.unpack("<4s22xHH", self.file.read(30))
        self.file.seek(name + more, 1)
        numbers = torch.empty(count, dtype=dtype, device="cpu")
        memory = memoryview(_C._files.Memory(numbers))
        whole = mark == b"PK\x03\x04" and self.file.readinto(memory) == part.file_size
        if not whole or _C._files.crc32(memory) != part.CRC:
            raise zipfile.BadZipFile(f"Bad CRC-32 for file {part.filename!r}")
        return numbers

    def load(self):
        if self.folder + "byteorder" in self.zip.namelist() and self.read("byteorder") != b"little":
            raise Refused("its numbers are not little-endian")
        return _Machine(self.read("data.pkl"), self.storage, self.names).run()

    def storage(self, dtype, key, location, count):
        if key not in self.storages:
            numbers = self.numbers(self.part(f"data/{key}"), dtype, count)
            self.storages[key] = _Storage(numbers.to(self.place(location)))
        return self.storages[key]


_MALFORMED = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RuntimeError, NotImplementedError,
              EOFError, struct.error, zipfile.BadZipFile, MemoryError)


def read(file, name, place, names):
    """What a file of PyTorch's holds; `place` gives the device for the one that a storage was on, "cpu" or "cuda:0".

    RuntimeError, which begins with `name`, for every other file; errors of names, and of the classes they stand for.
    """
    try:
        return _Archive(file, place, names).load()
    except Raised as raised:
        raise raised.error from None
    except Refused as error:
        raise RuntimeError(f"{name}: {error}") from None
    except _MALFORMED as error:
        raise RuntimeError(f"{name}: not a file of PyTorch's, or a damaged one: {shown(str(error))}") from None
