"""Rows of a table by number (torch.nn.modules.sparse)."""

from __future__ import annotations

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad.nn import functional as F
from glassgrad.nn import init
from glassgrad.nn.modules.module import Module


class Embedding(Module):
    """Row input[…] of weight: int64 (…) → (…, embedding_dim).

    weight (num_embeddings, embedding_dim) is drawn from N(0, 1); row padding_idx is then 0 and gets no gradient.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
                 _weight: Tensor | None = None, _freeze: bool = False, device=None, dtype=None) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        if padding_idx is not None:
            assert -num_embeddings <= padding_idx < num_embeddings, "Padding_idx must be within num_embeddings"
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        if _weight is None:
            weight = torch.empty((num_embeddings, embedding_dim), device=device, dtype=dtype)
            self.weight = Parameter(weight, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            assert list(_weight.shape) == [num_embeddings, embedding_dim], (
                "Shape of weight does not match num_embeddings and embedding_dim"
            )
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Embedding:
        """Of a weight that there is already, which is not learned if frozen."""
        assert embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional"
        return cls(*embeddings.shape, padding_idx=padding_idx, _weight=embeddings, _freeze=freeze)

    def reset_parameters(self) -> None:
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
