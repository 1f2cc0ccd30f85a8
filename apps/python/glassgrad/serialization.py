"""torch.save and torch.load: tensors, and what holds them, in .safetensors files.

The file's tensors have the names of a state_dict, so other programs read it. What else was saved (dicts in dicts,
lists, numbers, texts) stands as JSON in its metadata, with a tensor's name where the tensor was.
"""

from __future__ import annotations

import errno
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
_PLAIN = (type(None), bool, int, float, str)


def save(obj: Any, f: str | os.PathLike | BinaryIO) -> None:
    """Writes a tensor, a state_dict, or dicts, lists and tuples of tensors, numbers and texts.

    f: a path, or a file open for writing bytes. TypeError for any other object, such as a module.
    """
    tensors = {}
    structure = _take_apart(obj, "", tensors)
    plain = isinstance(obj, OrderedDict) and all(type(value) is Tensor for value in obj.values())
    metadata = {} if plain else {_KEY: json.dumps(structure)}
    named = [(name, tensor.detach()) for name, tensor in tensors.items()]
    if isinstance(f, (str, os.PathLike)):
        _files.save(os.fspath(f), named, metadata)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "saved")
        _files.save(path, named, metadata)
        with open(path, "rb") as file:
            f.write(file.read())


def load(f: str | os.PathLike | BinaryIO, map_location=None, *, weights_only: bool = True, mmap=None) -> Any:
    """What save wrote, or the tensors of any .safetensors file as an OrderedDict by name.

    map_location: the device of its tensors, the CPU without it (the file does not tell where they lay); what else
    PyTorch takes there, a function or a dict, has no say.
    """
    device = "cpu" if map_location is None or callable(map_location) or isinstance(map_location, dict) else map_location
    torch.empty(0, device=device)  # before anything is read
    if isinstance(f, (str, os.PathLike)):
        return _load_path(os.fspath(f), device)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loaded")
        with open(path, "wb") as file:
            file.write(f.read())
        return _load_path(path, device)


def _load_path(path, device):
    _refuse_pickles(path)
    named, metadata = _files.load(path)
    tensors = OrderedDict((name, tensor.to(device)) for name, tensor in named)
    if _KEY not in metadata:
        return tensors
    try:
        return _put_together(json.loads(metadata[_KEY]), tensors)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise RuntimeError(f"{path}: malformed {_KEY} in the metadata: {error}") from None


def _refuse_pickles(path):
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if not os.path.isfile(path):
        return  # the engine says what is wrong
    with open(path, "rb") as file:
        begin = file.read(4)
    if begin[:4] == b"PK\x03\x04" or begin[:1] == b"\x80":
        raise RuntimeError(
            f"{path}: a pickle of PyTorch's, which glassgrad does not run. In PyTorch, save it as .safetensors: "
            "safetensors.torch.save_file(torch.load(path, map_location='cpu'), 'model.safetensors')"
        )


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
