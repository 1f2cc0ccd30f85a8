"""Small helpers that programs import from torch.nn.modules.utils."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any

from glassgrad._names import missing


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Strips the prefix, "module." or "_orig_mod.", from the names that begin with it, in place."""
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix):]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    for key in list(metadata or ()):
        # The entry of the wrapper itself, "", stays; that of the wrapped module has no dot at its end.
        if key == prefix.rstrip(".") or key.startswith(prefix):
            metadata[key[len(prefix):]] = metadata.pop(key)


def _ntuple(n, name="parse"):
    def parse(x):
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))

    parse.__name__ = name
    return parse


_single, _pair = _ntuple(1, "_single"), _ntuple(2, "_pair")
_triple, _quadruple = _ntuple(3, "_triple"), _ntuple(4, "_quadruple")
__getattr__ = missing("torch.nn.modules.utils", globals())
