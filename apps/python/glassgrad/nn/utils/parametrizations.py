"""Parametrizations that PyTorch has ready (torch.nn.utils.parametrizations)."""

from __future__ import annotations

from enum import Enum

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad._names import missing, present_as_torch
from glassgrad.nn import functional as F
from glassgrad.nn.modules.module import Module
from glassgrad.nn.utils import _orthogonal, parametrize
from glassgrad.nn.utils._norms import norm_except_dim, scaled_to


class _OrthMaps(Enum):
    matrix_exp = 1
    cayley = 2
    householder = 3


class _Orthogonal(Module):
    def __init__(self, weight, orthogonal_map: _OrthMaps, *, use_trivialization=True) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        wide = X.size(-2) < X.size(-1)
        X = X.mT if wide else X
        n, k = X.size(-2), X.size(-1)
        if self.orthogonal_map is _OrthMaps.householder:
            lower = X.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (lower * lower).sum(dim=-2))
            Q = _orthogonal.householder_product(lower, tau) * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            X = X.tril()
            if n != k:
                X = torch.cat([X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], dim=-1)
            skew = X - X.mT
            if self.orthogonal_map is _OrthMaps.matrix_exp:
                Q = _orthogonal.matrix_exp(skew)
            else:
                eye = torch.eye(n, dtype=skew.dtype, device=skew.device)
                Q = torch.linalg.solve(torch.add(eye, skew, alpha=-0.5), torch.add(eye, skew, alpha=0.5))
            Q = Q[..., :k] if n != k else Q
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if wide else Q

    @torch.no_grad()
    def right_inverse(self, Q: Tensor) -> Tensor:
        if Q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape "
                             f"{Q.shape}.")
        given, wide = Q, Q.size(-2) < Q.size(-1)
        Q = Q.mT if wide else Q
        n, k = Q.size(-2), Q.size(-1)
        if not hasattr(self, "base"):
            if self.orthogonal_map is not _OrthMaps.householder:
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            A, tau = _orthogonal.geqrf(Q)
            diagonal = A.diagonal(dim1=-2, dim2=-1)
            # tau is 0 where a column needed no reflection, which would have changed its sign.
            diagonal.copy_(torch.where(tau == 0.0, -diagonal.sign(), diagonal.sign()))
            return A.mT if wide else A
        if n != k:
            drawn = torch.randn(*Q.shape[:-2], n, n - k, dtype=Q.dtype, device=Q.device)
            self.base = _orthogonal.made_orthogonal(torch.cat([Q, drawn], dim=-1))
        else:
            self.base = Q.clone() if _orthogonal.is_orthogonal(Q) else _orthogonal.made_orthogonal(Q)
        start = torch.zeros_like(given)  # both maps take -1 to the identity
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start


def orthogonal(module: Module, name: str = "weight", orthogonal_map: str | None = None, *,
               use_trivialization: bool = True) -> Module:
    """module.NAME becomes a matrix, or a batch of them, with orthonormal columns, or rows if it is wide; gives the
    module.

    orthogonal_map: "matrix_exp", e to the power of a skew-symmetric matrix A; "cayley", (I + A/2)·(I − A/2)⁻¹; or
    "householder", a product of reflections. It is matrix_exp for square matrices unless given, else householder.
    use_trivialization: times a matrix `base`, such that the weight begins as it is where it is orthogonal already, else
    as the Q of its QR decomposition.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.size(-2) == weight.size(-1) else "householder"
    known = getattr(_OrthMaps, orthogonal_map, None)
    if known is None:
        raise ValueError('orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
                         f"Got: {orthogonal_map}")
    made = _Orthogonal(weight, known, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return scaled_to(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """module.NAME becomes g · v / ‖v‖, one norm for each place of dim, for the whole with None; gives the module.

    g and v are module.parametrizations.NAME.original0 and original1. A state_dict of torch.nn.utils.weight_norm, with
    NAME_g and NAME_v, loads too.
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(module, state_dict, prefix, *rest):
        old = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module.register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps = dim % ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            for part, size in ("_u", matrix.size(0)), ("_v", matrix.size(1)):
                self.register_buffer(part, matrix.new_empty(size).normal_(0, 1))
            self._u, self._v = (F.normalize(x, dim=0, eps=eps) for x in (self._u, self._v))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight):
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.flatten(1)

    @torch.no_grad()
    def _power_method(self, matrix, n_power_iterations):
        for _ in range(n_power_iterations):
            self._u.copy_(F.normalize(torch.mv(matrix, self._v), dim=0, eps=self.eps))
            self._v.copy_(F.normalize(torch.mv(matrix.mT, self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # Copies: the next call changes them in place, before a backward of this one may have read them.
        u, v = self._u.clone(), self._v.clone()
        return weight / torch.vdot(u, torch.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
                  dim: int | None = None) -> Module:
    """module.NAME becomes weight / σ, σ its largest singular value as the power method knows it; gives the module.

    The method goes on with n_power_iterations steps for each access in training. dim: the rows, all other dimensions
    are the columns. Its vectors are the buffers _u and _v of module.parametrizations.NAME[0].
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    transposed = type(module).__name__ in ("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")
    dim = int(transposed) if dim is None else dim
    return parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


present_as_torch(globals())
__getattr__ = missing("torch.nn.utils.parametrizations", globals())
