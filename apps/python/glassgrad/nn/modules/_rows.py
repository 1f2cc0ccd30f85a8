"""Layers that hold no parameters, and losses: the classes of the table in apps/torch/layer.cpp."""

from __future__ import annotations

import linecache
from typing import Any, Optional

import glassgrad as torch
from glassgrad._C import Tensor, _nn
from glassgrad.nn import functional as F
from glassgrad.nn.modules.module import Module


class _Loss(Module):
    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction


class _WeightedLoss(_Loss):
    def __init__(self, weight: Optional[Tensor] = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)


def _shown(module: Module, *words: str) -> str:
    """Attributes as module prints them: "dim=" as dim=1, "lambd" as 0.5, "inplace?" as inplace=True if it is."""
    parts = []
    for word in words:
        name = word.rstrip("=?")
        value = getattr(module, name)
        if not word.endswith("?") or not (value is None or value is False):
            parts.append(str(value) if word == name else f"{name}={value!r}")
    return ", ".join(parts)


def _class(name, home, constructor, attributes, buffers, function, inputs, settings, shown):
    """The text of a row's class."""
    where = "F" if hasattr(F, function) else "torch"
    base = "Module" if home != "loss" else "_WeightedLoss" if buffers else "_Loss"
    given = inputs + [f"{word}self.{word[:-1]}" if word.endswith("=") else f"self.{word}" for word in settings]
    lines = [f"class {name}({base}):", f"    __doc__ = {where}.{function}.__doc__"]
    lines += [f"    __module__ = 'torch.nn.modules.{home}'", ""]
    if constructor != "()":
        lines += [f"    def __init__(self, {constructor[1:]} -> None:", "        super().__init__()"]
        lines += [f"        self.register_buffer('{x}', {x})" for x in buffers]
        lines += [*(f"        self.{x} = {x}" for x in attributes), ""]
    lines += [f"    def forward(self, {', '.join(f'{x}: Tensor' for x in inputs)}) -> Tensor:"]
    lines += [f"        return {where}.{function}({', '.join(given)})", ""]
    if shown:
        lines += ["    def extra_repr(self) -> str:", f"        return _shown(self, {str(shown)[1:-1]})", ""]
    return "\n".join(lines)


SOURCE = "\n\n".join(_class(*row) for row in _nn.layers)
# Tracebacks show these lines as those of a file beside this one.
_FILE = __file__.replace("_rows", "rows")
linecache.cache[_FILE] = len(SOURCE), None, SOURCE.splitlines(True), _FILE
exec(compile(SOURCE, _FILE, "exec"))
