"""Weights as a length and a direction, as programs did it first (torch.nn.utils.weight_norm)."""

from __future__ import annotations

import warnings

from glassgrad._C import Parameter, Tensor
from glassgrad._names import present_as_torch
from glassgrad.nn.modules.module import Module
from glassgrad.nn.utils._norms import hooks_of, make_callable, norm_except_dim, remove_norm, scaled_to


class WeightNorm:
    """The forward_pre_hook that computes module.NAME from NAME_g and NAME_v."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        return scaled_to(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        for hook in hooks_of(WeightNorm, module).values():
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
    return remove_norm(WeightNorm, "weight_norm", module, name)


present_as_torch(globals())
make_callable(__name__, weight_norm)
