"""Weights divided by their largest singular value, as programs did it first (torch.nn.utils.spectral_norm)."""

from __future__ import annotations

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad._names import present_as_torch
from glassgrad.nn.functional import normalize
from glassgrad.nn.modules.module import Module
from glassgrad.nn.utils._norms import hooks_of, make_callable, remove_norm


class SpectralNorm:
    """The forward_pre_hook that computes module.NAME from NAME_orig, with the vectors NAME_u and NAME_v."""

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """Dimension dim as rows, all others as columns."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """NAME_orig / (uᵀ·NAME_orig·v), after a step of the power method on u and v if asked for."""
        weight = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with torch.no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(normalize(torch.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(normalize(torch.mv(matrix, v), dim=0, eps=self.eps))
                # The next call changes them in place, before a backward of this one may have read them.
                u, v = u.clone(), v.clone()
        return weight / torch.dot(u, torch.mv(matrix, v))

    def remove(self, module: Module) -> None:
        with torch.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for name in self.name, self.name + "_u", self.name + "_v", self.name + "_orig":
            delattr(module, name)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def before_load(self, module, state_dict, prefix, metadata, strict, missing_keys, unexpected, problems) -> None:
        """States of PyTorch before 1.1 have NAME and no NAME_v."""
        key = prefix + self.name
        if key not in state_dict and all(key + end in state_dict for end in ("_orig", "_u", "_v")):
            return
        missing = [key + end for end in ("_orig", "", "_u") if key + end not in state_dict]
        if strict:
            missing_keys.extend(missing)
        if not missing:
            problems.append(f"{key}: a state of spectral_norm from before PyTorch 1.1; load it there and save it again")

    def __call__(self, module: Module, inputs) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        for hook in hooks_of(SpectralNorm, module).values():
            if hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        made = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if hasattr(weight, "materialize"):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy "
                "forward before applying spectral normalization"
            )
        with torch.no_grad():
            height, width = made.reshape_weight_to_matrix(weight).size()
            u = normalize(weight.new_empty(height).normal_(0, 1), dim=0, eps=eps)
            v = normalize(weight.new_empty(width).normal_(0, 1), dim=0, eps=eps)
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        # A plain attribute: deepcopy refuses what is in a graph.
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(made)
        module.register_load_state_dict_pre_hook(made.before_load)
        return made


def spectral_norm(module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
                  dim: int | None = None) -> Module:
    """Before each call, module.NAME becomes NAME_orig / σ, σ the largest singular value as the power method knows it,
    which goes on in training; gives the module. torch.nn.utils.parametrizations.spectral_norm is its successor.

    n_power_iterations: steps for each call. dim: the rows, all other dimensions are the columns.
    """
    transposed = type(module).__name__ in ("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")
    dim = int(transposed) if dim is None else dim
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """module.NAME is a parameter again, with the numbers that it had; gives the module."""
    return remove_norm(SpectralNorm, "spectral_norm", module, name)


present_as_torch(globals())
make_callable(__name__, spectral_norm)
