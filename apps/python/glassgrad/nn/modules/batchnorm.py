"""Normalization over a batch (torch.nn.modules.batchnorm)."""

from __future__ import annotations

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad.nn import functional as F
from glassgrad.nn import init
from glassgrad.nn.modules.lazy import LazyModule, UninitializedBuffer, UninitializedParameter
from glassgrad.nn.modules.module import Module


class BatchNorm1d(Module):
    """(x − mean)/√(variance + eps)·weight + bias of each feature: (N, num_features) or (N, num_features, L).

    In training mean and variance are the batch's, and running_mean and running_var take over momentum of them, an equal
    share of each batch so far with momentum=None; in evaluation those are taken, if track_running_stats.
    """

    _version = 2  # with num_batches_tracked

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device=None, dtype=None) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        made = {"device": device, "dtype": dtype}
        for name in ("weight", "bias"):
            self.register_parameter(name, Parameter(torch.empty(num_features, **made)) if affine else None)
        kept = track_running_stats
        self.register_buffer("running_mean", torch.zeros(num_features, **made) if kept else None)
        self.register_buffer("running_var", torch.ones(num_features, **made) if kept else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long, device=device) if kept else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")
        share = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            share = 1.0 / float(self.num_batches_tracked) if self.momentum is None else share
        of_batch = self.training or self.running_mean is None
        kept = (self.running_mean, self.running_var) if not self.training or self.track_running_stats else (None, None)
        return F.batch_norm(input, *kept, self.weight, self.bias, of_batch, share, self.eps)

    def extra_repr(self) -> str:
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
                f"track_running_stats={self.track_running_stats}")


class LazyBatchNorm1d(LazyModule, BatchNorm1d):
    """BatchNorm1d that takes num_features from its first input, and is a BatchNorm1d from then on."""

    cls_to_become = BatchNorm1d

    def __init__(self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device=None, dtype=None) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype)
        self.affine, self.track_running_stats = affine, track_running_stats
        made = {"device": device, "dtype": dtype}
        if affine:
            self.weight, self.bias = UninitializedParameter(**made), UninitializedParameter(**made)
        if track_running_stats:
            self.running_mean, self.running_var = UninitializedBuffer(**made), UninitializedBuffer(**made)
            self.num_batches_tracked = torch.tensor(0, dtype=torch.long, device=device)

    def reset_parameters(self) -> None:
        if self.num_features != 0 and not self.has_uninitialized_params():
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        self.num_features = input.shape[1]
        for part in (self.weight, self.bias, self.running_mean, self.running_var):
            if part is not None:
                part.materialize((self.num_features,))
        self.reset_parameters()
