"""Modules made of modules (torch.nn.modules.container)."""

from __future__ import annotations

import itertools
import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from glassgrad._C import Parameter, Tensor
from glassgrad._names import typename
from glassgrad.nn.modules.module import Module, _indented


class _Numbered(Module):
    """What lists of modules share: children are called "0", "1", …"""

    def _renumber(self, modules):
        self._modules = {str(i): module for i, module in enumerate(modules)}

    def _key(self, index):
        """The name of the child of that number, which may count from the end."""
        at = operator.index(index)
        if not -len(self) <= at < len(self):
            raise IndexError(f"index {at} is out of range")
        return list(self._modules)[at]

    def __getitem__(self, index) -> Any:
        if isinstance(index, slice):
            return self._sliced(list(self._modules.items())[index])
        return self._modules[self._key(index)]

    def __setitem__(self, index, module):
        setattr(self, self._key(index), module)

    def __delitem__(self, index):
        keys = list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]
        for key in keys:
            del self._modules[key]
        self._renumber(self._modules.values())

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def pop(self, index):
        module = self[index]
        del self[index]
        return module


class Sequential(_Numbered):
    """Modules, each called with the result of the one before it; given one by one, or as an OrderedDict by name."""

    def __init__(self, *args: Module | OrderedDict[str, Module]) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        else:
            named = ((str(i), module) for i, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input

    def _sliced(self, items):
        return type(self)(OrderedDict(items))

    def __add__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def insert(self, index, module):
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)
        return self


class ModuleList(_Numbered):
    """A list whose modules are children of the module that it is assigned to. It has no forward of its own."""

    _is_list = True

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _sliced(self, items):
        return type(self)(module for _, module in items)

    def extend(self, modules):
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        return super().extend(modules)

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        return ModuleList([*self, *other])

    def insert(self, index, module):
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)

    def __repr__(self):
        """As other modules, but neighbours with equal texts become one entry: "(0-1): 2 x Block(…)"."""
        first, children = 0, ""
        for text, equal in itertools.groupby(map(repr, self)):
            count = len(list(equal))
            entry = f"({first}): {text}" if count == 1 else f"({first}-{first + count - 1}): {count} x {text}"
            children += "\n  " + _indented(entry)
            first += count
        return f"{self._get_name()}({children}\n)" if children else f"{self._get_name()}()"


def _set_pairs(container, kind, pairs):
    """container[key] = value for each (key, value)."""
    for number, pair in enumerate(pairs):
        element = f"{kind} update sequence element #{number}"
        if not isinstance(pair, Iterable):
            raise TypeError(f"{element} should be Iterable; is{type(pair).__name__}")
        if len(pair) != 2:
            raise ValueError(f"{element} has length {len(pair)}; 2 is required")
        container[pair[0]] = pair[1]


class ModuleDict(Module):
    """Modules by name, children of the module that it is assigned to."""

    _is_list = True

    def __init__(self, modules: Mapping[str, Module] | Iterable[Any] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        self._modules.clear()

    def pop(self, key):
        return self._modules.pop(key)

    def keys(self):
        return self._modules.keys()

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()

    def update(self, modules):
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, "
                f"but got {type(modules).__name__}"
            )
        if isinstance(modules, (Mapping, ModuleDict)):
            modules = modules.items()
        _set_pairs(self, "ModuleDict", modules)


class ParameterList(Module):
    """A list whose tensors, made parameters, belong to the module that it is assigned to."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _name(self, index):
        at = operator.index(index)
        if not -self._size <= at < self._size:
            raise IndexError(f"index {at} is out of range")
        return str(at % self._size)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, self._name(index))

    def __setitem__(self, index, value):
        self._set(self._name(index), value)

    def _set(self, name, value):
        made = isinstance(value, Tensor) and not isinstance(value, Parameter)
        setattr(self, name, Parameter(value) if made else value)

    def __len__(self) -> int:
        return self._size

    def __iter__(self):
        return (self[i] for i in range(self._size))

    def __iadd__(self, values):
        return self.extend(values)

    def append(self, value):
        self._set(str(self._size), value)
        self._size += 1
        return self

    def extend(self, values):
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(f"  ({i}): {self._described(value)}" for i, value in enumerate(self))

    @staticmethod
    def _described(value):
        if not isinstance(value, Tensor):
            return f"Object of type: {type(value).__name__}"
        kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
        return f"{kind} containing: [{value.dtype} of size {'x'.join(map(str, value.shape))}]"

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict by texts whose tensors, made parameters, belong to the module that it is assigned to."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    @staticmethod
    def _name(key):
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._name(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        made = isinstance(value, Tensor) and not isinstance(value, Parameter)
        setattr(self, self._name(key), Parameter(value) if made else value)

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._name(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Another one with the same parameters."""
        return ParameterDict(OrderedDict((key, self[key]) for key in self._keys))

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        key, _ = self._keys.popitem()
        self._keys[key] = None  # for pop
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new one with these keys, all with the same value."""
        return ParameterDict((key, default) for key in keys)

    def keys(self):
        return self._keys.keys()

    def items(self):
        return ((key, self[key]) for key in self._keys)

    def values(self):
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Adds pairs, or another mapping; a plain dict in the order of its keys."""
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, "
                f"but got {type(parameters).__name__}"
            )
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            parameters = parameters.items()
        elif isinstance(parameters, Mapping):
            parameters = sorted(parameters.items())
        _set_pairs(self, "ParameterDict", parameters)

    def extra_repr(self) -> str:
        return "\n".join(f"  ({key}): {self._described(value)}" for key, value in self.items())

    @staticmethod
    def _described(value):
        if not isinstance(value, Tensor):
            return f"Object of type: {type(value).__name__}"
        kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
        device = f" (GPU {value.get_device()})" if value.is_cuda else ""
        return f"{kind} containing: [{typename(value)} of size {'x'.join(map(str, value.shape))}{device}]"

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: ParameterDict) -> ParameterDict:
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        made = other.copy()
        made.update(self)
        return made

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self
