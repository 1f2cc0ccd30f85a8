#!/usr/bin/env python3
"""make_layers.py FOLDER: writes glassgrad/nn/modules/_rows.py into FOLDER, beside the extension that is there.

The classes of the table in apps/torch/layer.cpp, as Python keeps them: compiled once, not at every import.
"""
import importlib.util
import pathlib
import sys

HEAD = '''"""Layers that hold no parameters, and losses: the classes of the table in apps/torch/layer.cpp.

Written by make_layers.py.
"""

from __future__ import annotations

from typing import Any, Optional

import glassgrad as torch
from glassgrad._C import Tensor
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


'''


def extension(folder):
    """The module _C without its package, which needs the file that is to be written."""
    spec = importlib.util.spec_from_file_location("_C", next(folder.glob("_C.*.so")))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def layer(torch_alone, name, home, constructor, attributes, buffers, function, inputs, settings, shown):
    """The text of a row's class."""
    where = "torch" if function in torch_alone else "F"
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


def main(folder):
    _C = extension(folder)
    names = {place: {name for name, *_ in _C.signatures[place]} for place in ("torch", "torch.nn.functional")}
    torch_alone = names["torch"] - names["torch.nn.functional"]
    path = folder / "nn" / "modules" / "_rows.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEAD + "\n\n".join(layer(torch_alone, *row) for row in _C._nn.layers))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) / "glassgrad")
