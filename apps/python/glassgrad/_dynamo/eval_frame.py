"""The module that torch.compile gives for a module (torch._dynamo.eval_frame)."""

from __future__ import annotations

import functools
from typing import Any

from glassgrad._names import missing
from glassgrad.nn.modules.module import Module


class OptimizedModule(Module):
    """Calls the module. Its attributes are the module's own, its parameters have names behind "_orig_mod."."""

    __module__ = "torch._dynamo.eval_frame"
    _has_scope = False

    def __init__(self, mod: Module) -> None:
        super().__init__()
        self._modules["_orig_mod"] = mod

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._orig_mod(*args, **kwargs)

    @property
    def training(self) -> bool:
        return self._orig_mod.training

    @training.setter
    def training(self, value):
        self._orig_mod.training = value

    def __getattr__(self, name: str) -> Any:
        modules = self.__dict__.get("_modules", {})
        if name == "_orig_mod" or "_orig_mod" not in modules:
            return super().__getattr__(name)
        return getattr(modules["_orig_mod"], name)

    def __setattr__(self, name, value):
        # The wrapper keeps what its class has, a new forward too.
        if name == "_orig_mod" or hasattr(type(self), name):
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __dir__(self):
        return sorted({*dir(self._orig_mod), *super().__dir__()})

    def __reduce_ex__(self, protocol):
        return compiled, (self._orig_mod,)


def compiled(module):
    """A module around the module; of such a one the function that calls what is in it, as in PyTorch."""
    if not isinstance(module, OptimizedModule):
        return OptimizedModule(module)
    forward = module._orig_mod.forward

    @functools.wraps(forward)
    def call(*args, **kwargs):
        return forward(*args, **kwargs)

    return call


__getattr__ = missing("torch._dynamo.eval_frame", globals())
