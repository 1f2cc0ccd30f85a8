"""Rows of a table by number (torch.nn.modules.sparse)."""

import glassgrad as torch
from glassgrad._C import Parameter
from glassgrad.nn import functional as F
from glassgrad.nn import init
from glassgrad.nn.modules.module import Module


class Embedding(Module):
    """Row input[…] of weight: int64 (…) → (…, embedding_dim).

    weight (num_embeddings, embedding_dim) is drawn from N(0, 1); row padding_idx is then 0 and gets no gradient.
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, _weight=None, _freeze=False,
                 device=None, dtype=None):
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
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None):
        """Of a weight that there is already, which is not learned if frozen."""
        assert embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional"
        return cls(*embeddings.shape, padding_idx=padding_idx, _weight=embeddings, _freeze=freeze)

    def reset_parameters(self):
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input):
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self):
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
