"""One example of batches out of a batch of examples (torch.utils.data._utils.collate)."""

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

import glassgrad as torch
from glassgrad._names import missing

default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def _is_of_numpy(example):
    return type(example).__module__ == "numpy" and hasattr(example, "dtype")


def _is_text_or_object(array):
    return array.dtype.kind in "SUOaV"


def _mapped(mapping, items):
    """A mapping of the same kind with these items; a dict where the kind takes none."""
    try:
        if not isinstance(mapping, MutableMapping):
            return type(mapping)(items)
        made = copy.copy(mapping)
        made.update(items)
        return made
    except TypeError:
        return items


def _listed(sequence, parts):
    """A sequence of the same kind with these parts; a list for a tuple, and where the kind takes none."""
    if isinstance(sequence, tuple):
        return parts
    try:
        if not isinstance(sequence, MutableSequence):
            return type(sequence)(parts)
        made = copy.copy(sequence)
        for i, part in enumerate(parts):
            made[i] = part
        return made
    except TypeError:
        return parts


def default_convert(data):
    """An example as it is, its numpy arrays and numbers as tensors."""
    if isinstance(data, torch.Tensor):
        return data
    if _is_of_numpy(data):
        return data if _is_text_or_object(data) else torch.as_tensor(data)
    if isinstance(data, Mapping):
        return _mapped(data, {key: default_convert(part) for key, part in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _listed(data, [default_convert(part) for part in data])
    return data


def collate(batch, *, collate_fn_map=None):
    """Batches the examples: by the function that collate_fn_map has for the kind of the first one, which is called as
    function(batch, collate_fn_map=…); mappings, named tuples and sequences part by part, in their own kind.

    TypeError for a kind without a function.
    """
    first = batch[0]
    known = collate_fn_map or {}
    if type(first) in known:
        return known[type(first)](batch, collate_fn_map=collate_fn_map)
    for kind, function in known.items():
        if isinstance(first, kind):
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        return _mapped(first, {
            key: collate([example[key] for example in batch], collate_fn_map=collate_fn_map) for key in first
        })
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(collate(parts, collate_fn_map=collate_fn_map) for parts in zip(*batch)))
    if isinstance(first, Sequence):
        if any(len(example) != len(first) for example in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return _listed(first, [collate(parts, collate_fn_map=collate_fn_map) for parts in zip(*batch)])
    raise TypeError(default_collate_err_msg_format.format(type(first)))


def _tensors(batch, *, collate_fn_map=None):
    return torch.stack(list(batch), 0)


def _floats(batch, *, collate_fn_map=None):
    return torch.tensor(batch, dtype=torch.float64)


def _integers(batch, *, collate_fn_map=None):
    return torch.tensor(batch)


def _texts(batch, *, collate_fn_map=None):
    return batch


def _arrays(batch, *, collate_fn_map=None):
    if _is_text_or_object(batch[0]):
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate([torch.as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def _numbers_of_numpy(batch, *, collate_fn_map=None):
    return torch.as_tensor(batch)


class _OfNumpy(type):
    """A kind of numpy's, which is imported by programs only."""

    def __instancecheck__(cls, example):
        return _is_of_numpy(example) and cls.has(example)


class _Array(metaclass=_OfNumpy):
    @staticmethod
    def has(example):
        return type(example).__name__ == "ndarray"


class _Number(metaclass=_OfNumpy):
    @staticmethod
    def has(example):
        return type(example).__name__ != "ndarray" and example.dtype.kind in "biufc"


default_collate_fn_map = {
    torch.Tensor: _tensors, _Array: _arrays, _Number: _numbers_of_numpy, float: _floats, int: _integers, str: _texts,
    bytes: _texts,
}


def default_collate(batch):
    """One example of batches: tensors are stacked, numbers become a tensor, texts stay; mappings, named tuples and
    lists are batched part by part and keep their kind, a tuple becomes a list.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


__getattr__ = missing("torch.utils.data._utils.collate", globals())
