"""How far two tensors are apart (torch.nn.modules.distance)."""

from __future__ import annotations

from glassgrad._C import Tensor
from glassgrad.nn import functional as F
from glassgrad.nn.modules._rows import CosineSimilarity
from glassgrad.nn.modules.module import Module


class PairwiseDistance(Module):
    """The p-norm of the difference of two tensors, along the last dimension."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
