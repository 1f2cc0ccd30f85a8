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


# Tracebacks show the lines of these classes as those of a file beside this one.
_FILE = __file__.replace("_rows", "rows")
linecache.cache[_FILE] = len(_nn.layers), None, _nn.layers.splitlines(True), _FILE
exec(compile(_nn.layers, _FILE, "exec"))
