"""`import safetensors` without safetensors: its files, byte for byte, read and written with glassgrad's tensors."""

import json
import math
import os

from glassgrad import _C

__version__ = "0.5.3"
_MAX_HEADER = 100_000_000
# The names of dtypes in a file, narrow ones first: a file has them in the opposite order.
_DTYPES = {
    "BOOL": _C.bool, "U8": _C.uint8, "I8": _C.int8, "I16": _C.int16, "F16": _C.float16, "BF16": _C.bfloat16,
    "I32": _C.int32, "F32": _C.float32, "F64": _C.float64, "I64": _C.int64,
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_ORDER = list(_DTYPES)
_OTHER_SIZES = {"F8_E5M2": 1, "F8_E4M3": 1, "U16": 2, "U32": 4, "U64": 8, "C64": 8}


class SafetensorError(Exception):
    """A file that is no such file, or a tensor that is not in it."""


SafetensorError.__module__ = "safetensors_rust"


# ---- writing
def parts_of(tensors, metadata):
    """The pieces of the file that has these tensors: its header, then their bytes one by one."""
    ordered = sorted(tensors.items(), key=lambda item: (-_ORDER.index(_NAMES[item[1].dtype]), item[0].encode()))
    header, end = {} if metadata is None else {"__metadata__": dict(metadata)}, 0
    for name, x in ordered:
        begin, end = end, end + x.numel() * x.element_size()
        header[name] = {"dtype": _NAMES[x.dtype], "shape": list(x.shape), "data_offsets": [begin, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    for _, x in ordered:
        yield _C.bytes_of(x)


# ---- reading
class _Malformed(Exception):
    """The name of what is wrong with a header."""


def _fail(reason):
    raise _Malformed(reason)


def _size_of(dtype):
    return _DTYPES[dtype].itemsize if dtype in _DTYPES else _OTHER_SIZES[dtype]


def read_header(file, size, what=" header"):
    """(where the tensors begin, {name: (dtype, shape, begin, end)} in that order, metadata or None) of an open file."""
    try:
        return _read_header(file, size)
    except _Malformed as error:
        raise SafetensorError(f"Error while deserializing{what}: {error}") from None


def _read_header(file, size):
    if size < 8:
        _fail("HeaderTooSmall")
    length = int.from_bytes(file.read(8), "little")
    if length > _MAX_HEADER:
        _fail("HeaderTooLarge")
    if length + 8 > size:
        _fail("InvalidHeaderLength")
    try:
        text = file.read(length).decode()
    except UnicodeDecodeError:
        _fail("InvalidHeader")
    try:
        header = json.loads(text)
        metadata = _without_checksums(header.pop("__metadata__", None))
        entries = [(name, _entry(**info)) for name, info in header.items()]
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        _fail("InvalidHeaderDeserialization")
    entries.sort(key=lambda entry: entry[1][2:])
    _check_layout(entries, size - 8 - length)
    return 8 + length, dict(entries), metadata


def _without_checksums(metadata):
    """Leaves out what torch.save adds: they are wrong beside other tensors, if a program hands the metadata on."""
    kept = {name: text for name, text in (metadata or {}).items() if name.partition(":")[0] != "crc32"}
    return kept or None if metadata else metadata


def _entry(dtype, shape, data_offsets):
    begin, end = data_offsets
    _size_of(dtype)
    if not all(type(n) is int and n >= 0 for n in (begin, end, *shape)):
        raise ValueError
    return dtype, tuple(shape), begin, end


def _check_layout(entries, size):
    at = 0
    for name, (dtype, shape, begin, end) in entries:
        if begin != at or end < begin:
            _fail(f"InvalidOffset({json.dumps(name, ensure_ascii=False)})")
        if end - begin != math.prod(shape) * _size_of(dtype):
            _fail("TensorInvalidInfo")
        at = end
    if at != size:
        _fail("MetadataIncompleteBuffer")


def read_tensor(file, start, entry, device="cpu"):
    """The tensor of an entry of the header."""
    dtype, shape, begin, end = entry
    if dtype not in _DTYPES:
        raise SafetensorError(f"glassgrad has no tensors of {dtype}: convert the file with another program")
    file.seek(start + begin)
    content = file.read(end - begin)
    if dtype == "BOOL":  # any byte but 0 is true
        made = _C.from_bytes(content, shape, _C.uint8) != 0
    else:
        made = _C.from_bytes(content, shape, _DTYPES[dtype])
    return made if str(device) == "cpu" else made.to(device)


class _Slice:
    """A tensor of an open file, read when it is indexed."""

    def __init__(self, opened, entry):
        self._opened, self._entry = opened, entry

    def get_shape(self):
        """Its sizes, as a list."""
        return list(self._entry[1])

    def get_dtype(self):
        """Its dtype as the file has it: 'F32'."""
        return self._entry[0]

    def __getitem__(self, index):
        return self._opened._read(self._entry)[index]


_Slice.__name__ = _Slice.__qualname__ = "PySafeSlice"


class safe_open:
    """The tensors of a file, each read when it is asked for: with safe_open(name, framework="pt") as f: …"""

    def __init__(self, filename, framework, device="cpu"):
        if framework not in ("pt", "torch", "pytorch"):
            raise SafetensorError(f"glassgrad's safetensors reads for framework='pt', not {framework!r}")
        path = os.fspath(filename)
        try:
            self._file = open(path, "rb")
        except OSError:
            raise FileNotFoundError(f"No such file or directory: {json.dumps(path, ensure_ascii=False)}") from None
        try:
            self._start, self._entries, self._metadata = read_header(self._file, os.fstat(self._file.fileno()).st_size)
        except SafetensorError:
            self._file.close()
            raise
        self._device = device

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()

    def _opened(self):
        if self._file.closed:
            raise SafetensorError("File is closed")
        return self

    def _read(self, entry):
        return read_tensor(self._opened()._file, self._start, entry, self._device)

    def _entry(self, name):
        entry = self._opened()._entries.get(name)
        if entry is None:
            raise SafetensorError(f"File does not contain tensor {name}")
        return entry

    def keys(self):
        """The names of the tensors, sorted."""
        return sorted(self._opened()._entries)

    def offset_keys(self):
        """The names of the tensors, as they follow each other in the file."""
        return list(self._opened()._entries)

    def metadata(self):
        """What was saved beside the tensors, texts by name; None for nothing."""
        return self._opened()._metadata

    def get_tensor(self, name):
        """The tensor of that name."""
        return self._read(self._entry(name))

    def get_slice(self, name):
        """The tensor of that name, to be indexed: f.get_slice("w")[:, :8]."""
        return _Slice(self, self._entry(name))
