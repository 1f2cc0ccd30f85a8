"""One of two (torch.distributions.bernoulli)."""

from __future__ import annotations

import math

import glassgrad as torch
import glassgrad.nn.functional as F
from glassgrad._C import Tensor
from glassgrad.distributions import constraints
from glassgrad.distributions.distribution import Distribution, broadcast_all, clamp_probs


class Bernoulli(Distribution):
    """1 with the probability probs, else 0; logits = log(probs/(1 − probs)) may be given in its place."""

    has_enumerate_support = True
    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean

    def __init__(self, probs: Tensor | float | None = None, logits: Tensor | float | None = None,
                 validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        given = "probs" if probs is not None else "logits"
        self.__dict__[given], = broadcast_all(probs if probs is not None else logits)
        super().__init__(self.param_shape, validate_args=validate_args)

    def __getattr__(self, name):  # computes the parameter that was not given, on first access
        if name == "probs" and "logits" in self.__dict__:
            self.probs = torch.sigmoid(self.logits)
        elif name == "logits" and "probs" in self.__dict__:
            probs = clamp_probs(self.probs)
            self.logits = torch.log(probs) - torch.log1p(-probs)
        else:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return self.__dict__[name]

    @property
    def _param(self):
        return self.probs if "probs" in self.__dict__ else self.logits

    @property
    def param_shape(self):
        return self._param.size()

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        """NaN where both are as probable."""
        return (self.probs >= 0.5).to(self.probs).masked_fill(self.probs == 0.5, math.nan)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def expand(self, batch_shape) -> Bernoulli:
        expanded = Bernoulli.__new__(Bernoulli)
        for name in ("probs", "logits"):
            if name in self.__dict__:
                expanded.__dict__[name] = self.__dict__[name].expand(batch_shape)
        Distribution.__init__(expanded, torch.Size(batch_shape), validate_args=False)
        return expanded

    def sample(self, sample_shape=()) -> Tensor:
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = torch.arange(2, dtype=self._param.dtype, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values
