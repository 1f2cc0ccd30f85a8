"""Dropout (torch.nn.modules.dropout)."""

from __future__ import annotations

from glassgrad._C import Tensor
from glassgrad.nn import functional as F
from glassgrad.nn.modules.module import Module


class Dropout(Module):
    """In training each element is 0 with probability p, the others are divided by 1 − p; in evaluation x itself."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"
