"""How often each of several occurs (torch.distributions.multinomial)."""

from __future__ import annotations

import math

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad.distributions import constraints
from glassgrad.distributions.categorical import Categorical
from glassgrad.distributions.distribution import Distribution, clamp_probs


class Multinomial(Distribution):
    """The counts, along the last dimension, of total_count draws from Categorical(probs, logits)."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(self, total_count: int = 1, probs: Tensor | None = None, logits: Tensor | None = None,
                 validate_args: bool | None = None) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count, self._categorical = total_count, Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    @property
    def probs(self) -> Tensor:
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        return self._categorical.logits

    @property
    def param_shape(self):
        return self._categorical.param_shape

    @property
    def support(self) -> constraints.Constraint:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def expand(self, batch_shape) -> Multinomial:
        expanded = Multinomial.__new__(Multinomial)
        expanded.total_count, expanded._categorical = self.total_count, self._categorical.expand(batch_shape)
        Distribution.__init__(expanded, torch.Size(batch_shape), self._event_shape, False)
        return expanded

    def sample(self, sample_shape=()) -> Tensor:
        drawn = self._categorical.sample((self.total_count, *sample_shape))
        drawn = drawn.permute(*range(1, drawn.dim()), 0)
        counts = torch.zeros(self._extended_shape(sample_shape), dtype=torch.int64, device=drawn.device)
        return counts.scatter_add_(-1, drawn, torch.ones_like(drawn)).type_as(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = torch.broadcast_tensors(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -math.inf), 0)
        return torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1) + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        like = {"dtype": self.probs.dtype, "device": self.probs.device}
        n, logits = self.total_count, _binary_logits(self.probs)
        counts = torch.arange(1 + n, **like)[1:].view((-1,) + (1,) * self.probs.dim())
        alone = torch.lgamma(torch.tensor(float(n + 1), **like))
        # Of each count the probability that one of the classes has it: a binomial distribution.
        softplus = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2 + torch.log1p(torch.exp(-logits.abs()))
        factorials = torch.lgamma(counts + 1)
        chance = counts * logits - factorials - torch.lgamma(n - counts + 1) - (n * softplus - alone)
        return n * self._categorical.entropy() - alone + (torch.exp(chance) * factorials).sum([0, -1])


def _binary_logits(probs):
    probs = clamp_probs(probs)
    return torch.log(probs) - torch.log1p(-probs)
