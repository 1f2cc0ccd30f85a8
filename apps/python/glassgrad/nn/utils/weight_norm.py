"""Weights as a length and a direction, as programs did it first (torch.nn.utils.weight_norm)."""

from __future__ import annotations

import sys
import types
import warnings

from glassgrad._C import Parameter, Tensor
from glassgrad._names import present_as_torch
from glassgrad.nn.modules.module import Module
from glassgrad.nn.utils._norms import norm_except_dim, scaled_to


class WeightNorm:
    """The forward_pre_hook that computes module.NAME from NAME_g and NAME_v."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        return scaled_to(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        for hook in _hooks(module).values():
            if hook.name == name:
                raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        made = WeightNorm(name, dim)
        weight = getattr(module, name)
        if hasattr(weight, "materialize"):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the dummy "
                "forward before applying weight normalization"
            )
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, 2, made.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, made.compute_weight(module))
        module.register_forward_pre_hook(made)
        return made

    def remove(self, module: Module) -> None:
        weight = self.compute_weight(module)
        for name in self.name, self.name + "_g", self.name + "_v":
            delattr(module, name)
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Module, inputs) -> None:
        setattr(module, self.name, self.compute_weight(module))


def _hooks(module):
    """The module's hooks of this kind, by number."""
    return {key: hook for key, hook in module._forward_pre_hooks.items() if isinstance(hook, WeightNorm)}


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Before each call, module.NAME becomes NAME_g · NAME_v / ‖NAME_v‖, one norm for each place of dim, for the whole
    with None; gives the module. torch.nn.utils.parametrizations.weight_norm is its successor.
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning, stacklevel=2,
    )
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """module.NAME is a parameter again, with the numbers that it had; gives the module."""
    for key, hook in _hooks(module).items():
        if hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")


class _CallableModule(types.ModuleType):
    """torch.nn.utils.weight_norm is the function, also where an import of this module has put the module there."""

    def __call__(self, *args, **kwargs):
        return weight_norm(*args, **kwargs)


present_as_torch(globals())
sys.modules[__name__].__class__ = _CallableModule
