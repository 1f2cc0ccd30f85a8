"""Modules that take no random numbers from the generator (torch.nn.utils.init)."""

import inspect

from glassgrad._C import default_generator
from glassgrad.nn.modules import Module


def skip_init(module_cls, *args, **kwargs):
    """module_cls(*args, **kwargs), after which the generator goes on as if nothing had been drawn."""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    before = default_generator.get_state()
    try:
        return module_cls(*args, **kwargs)
    finally:
        default_generator.set_state(before)
