"""torch.save and torch.load: tensors, and what holds them, in PyTorch's files and in .safetensors files.

A .safetensors file has the tensors by the names of a state_dict, so other programs read it. What else was saved (dicts
in dicts, lists, numbers, texts) stands as JSON in its metadata, with a tensor's name where the tensor was.
"""

from __future__ import annotations

import errno
import io
import json
import os
import tempfile
from collections import OrderedDict
from typing import Any, BinaryIO

import glassgrad as torch
from glassgrad._C import Parameter, Tensor, _files, dtype
from glassgrad._names import typename
from glassgrad._tensor import _DTYPES

_KEY = "glassgrad.structure"
_ZIP = b"PK\x03\x04"
_PLAIN = (type(None), bool, int, float, str)


def save(obj: Any, f: str | os.PathLike | BinaryIO, pickle_module=None, pickle_protocol: int = 2,
         _use_new_zipfile_serialization: bool = True) -> None:
    """Writes a tensor, a state_dict, or what else pickle can write: modules and other objects under the names of their
    classes.

    f: a path, or a file open for writing bytes. A path that ends in .safetensors gives such a file, everything else
    the zip that PyTorch's torch.load reads, whatever is said of pickles. A .safetensors file takes dicts, lists and
    tuples of tensors, numbers and texts; TypeError for any other object. Errors as pickle's for what has no name.
    """
    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        if path.endswith(".safetensors"):
            _save_safetensors(obj, path)
            return
        with _files.Output(path) as file:
            _pickling().write(obj, file, os.path.splitext(os.path.basename(path))[0] or "archive")
    else:
        _pickling().write(obj, f, "archive")


def _pickling():
    from glassgrad import _pickling  # only saving needs it
    return _pickling


def _save_safetensors(obj, path):
    tensors = {}
    structure = _take_apart(obj, "", tensors)
    plain = isinstance(obj, OrderedDict) and all(type(value) is Tensor for value in obj.values())
    metadata = {} if plain else {_KEY: json.dumps(structure)}
    _files.save(path, [(name, tensor.detach()) for name, tensor in tensors.items()], metadata)


def load(f: str | os.PathLike | BinaryIO, map_location=None, pickle_module=None, *, weights_only: bool | None = None,
         mmap=None, **pickle_load_args) -> Any:
    """What save wrote, here or in PyTorch, or the tensors of any .safetensors file as an OrderedDict by name.

    map_location: the device of its tensors; a dict from the devices they were on to others; a function: the CPU.
    Without it they lie where they were.

    A file runs nothing and imports nothing. weights_only: UnpicklingError for one that holds more than tensors, numbers
    and texts in plain containers, and what add_safe_globals allowed. With weights_only=False objects come back as well
    whose classes PyTorch or the running program define; RuntimeError for those of other packages.
    """
    names = _names(weights_only)
    if isinstance(f, (str, os.PathLike)):
        return _load_path(os.fspath(f), map_location, names)
    if type(f) is not io.BytesIO or f.tell() != 0:
        f = io.BytesIO(f.read())
    content = f.getbuffer()
    f.seek(0, 2)
    if content[:4] == _ZIP:
        from glassgrad._pickled import read
        made = read(f, "the file", _place(map_location), names())
        f.seek(0, 2)
        return made
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loaded")
        with open(path, "wb") as file:
            file.write(content)
        return _load_path(path, map_location, names)


def _names(weights_only):
    """What gives the classes that a file may hold."""

    def names():
        from glassgrad import _pickled_objects
        safe = weights_only is None or weights_only
        return _pickled_objects.SafeNames() if safe else _pickled_objects.ProgramNames()

    return names


def add_safe_globals(safe_globals: list) -> None:
    """Allows files to hold these classes and functions, and to call them. An item: the object, or (object, "its.name").
    """
    from glassgrad._pickled_objects import allow
    allow(safe_globals)


def get_safe_globals() -> list:
    """What add_safe_globals allowed."""
    from glassgrad._pickled_objects import given
    return list(given)


def clear_safe_globals() -> None:
    """Allows nothing any more."""
    from glassgrad._pickled_objects import allow, given
    given.clear()
    allow([])


class safe_globals:
    """add_safe_globals for the `with` block."""

    def __init__(self, safe_globals: list) -> None:
        self.safe_globals = safe_globals

    def __enter__(self):
        self._before = get_safe_globals()
        add_safe_globals(self.safe_globals)

    def __exit__(self, *error):
        clear_safe_globals()
        add_safe_globals(self._before)


def _load_path(path, map_location, names):
    place = _place(map_location)
    begin = _first_bytes(path)
    if begin == _ZIP:
        from glassgrad._pickled import read
        with open(path, "rb") as file:
            return read(file, path, place, names())
    if begin[:1] == b"\x80":
        raise RuntimeError(
            f"{path}: a file in the form that PyTorch wrote before 2020. In PyTorch, "
            "torch.save(torch.load(path), path) writes it anew"
        )
    named, metadata = _files.load(path)
    tensors = OrderedDict((name, tensor.to(place("cpu"))) for name, tensor in named)
    if _KEY not in metadata:
        return tensors
    try:
        return _put_together(json.loads(metadata[_KEY]), tensors)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise RuntimeError(f"{path}: malformed {_KEY} in the metadata: {error}") from None


def _first_bytes(path):
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if not os.path.isfile(path):
        return b""  # the engine reports the error
    with open(path, "rb") as file:
        return file.read(4)


def _place(map_location):
    """The device for tensors that were on the one of this name, as a function."""
    if callable(map_location):
        return lambda location: "cpu"
    if map_location is not None and not isinstance(map_location, dict):
        torch.empty(0, device=map_location)  # refuses a bad device before anything is read
        return lambda location: map_location
    moved = {str(was): now for was, now in (map_location or {}).items()}

    def place(location):
        device = moved.get(location, location)
        if str(device).startswith("cuda") and not torch.cuda.is_available():
            raise RuntimeError(
                "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
                "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map "
                "your storages to the CPU."
            )
        return device

    return place


def _take_apart(value, path, tensors):
    """value in JSON, where a list is [kind, …]; its tensors go into the dict, under the path to them."""
    if isinstance(value, Tensor):
        name = path or "tensor"
        while name in tensors:  # {"a.b": …, "a": {"b": …}}
            name += "'"
        tensors[name] = value
        kind = "parameter" if isinstance(value, Parameter) else "tensor"
        return [kind, name, value.requires_grad]
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, dtype):
        return ["dtype", _name_of(value)]
    below = f"{path}." if path else ""
    if isinstance(value, dict):
        items = [
            [_key(key, path), _take_apart(item, f"{below}{key}", tensors)] for key, item in value.items()
        ]
        return ["ordered" if isinstance(value, OrderedDict) else "dict", *items]
    if isinstance(value, (list, tuple)):
        items = [_take_apart(item, f"{below}{i}", tensors) for i, item in enumerate(value)]
        return ["list" if isinstance(value, list) else "tuple", *items]
    return _refuse(value, path)


def _refuse(value, path):
    raise TypeError(
        f"glassgrad saves tensors, and dicts, lists and tuples of tensors, numbers and texts, not {typename(value)}"
        + (f" (at {path})" if path else "")
        + ": of a module or an optimizer save its state_dict()"
    )


def _name_of(value):
    return str(value).removeprefix("torch.")


def _dtype(name):
    return {_name_of(known): known for known in _DTYPES.values()}[name]


def _key(key, path):
    if not isinstance(key, _PLAIN):
        raise TypeError(f"glassgrad saves dicts by numbers and texts, not by {typename(key)} (at {path or 'the top'})")
    return key


def _put_together(structure, tensors):
    if not isinstance(structure, list):
        return structure
    kind, *items = structure
    if kind in ("tensor", "parameter"):
        name, requires_grad = items
        tensor = tensors[name]
        return Parameter(tensor, requires_grad) if kind == "parameter" else tensor.requires_grad_(requires_grad)
    if kind == "dtype":
        return _dtype(items[0])
    if kind in ("dict", "ordered"):
        made = {key: _put_together(item, tensors) for key, item in items}
        return made if kind == "dict" else OrderedDict(made)
    made = [_put_together(item, tensors) for item in items]
    return made if kind == "list" else tuple(made)
