"""What all distributions share (torch.distributions.distribution)."""

from __future__ import annotations

import glassgrad as torch
from glassgrad._C import Tensor


class Distribution:
    """A batch of distributions of events: batch_shape, and event_shape, the shape of one sample.

    A subclass defines rsample or sample, log_prob and entropy. validate_args: whether parameters and values are
    checked, with ValueError for those that cannot be.
    """

    has_rsample = False
    _parameters: tuple[str, ...] = ()  # their names, in print order
    _validate = __debug__

    def __init__(self, batch_shape=(), event_shape=(), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = torch.Size(batch_shape), torch.Size(event_shape)
        self._validate_args = Distribution._validate if validate_args is None else validate_args

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        if value not in (True, False):
            raise ValueError
        Distribution._validate = value

    @property
    def batch_shape(self):
        return self._batch_shape

    @property
    def event_shape(self):
        return self._event_shape

    @property
    def stddev(self) -> Tensor:
        return self.variance.sqrt()

    def sample(self, sample_shape=()) -> Tensor:
        """sample_shape + batch_shape + event_shape, without a graph."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()) -> Tensor:
        """A sample through which the gradient reaches the parameters."""
        raise NotImplementedError

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape=()):
        return torch.Size(tuple(sample_shape) + tuple(self._batch_shape) + tuple(self._event_shape))

    def _check_parameter(self, name, valid, constraint):
        if self._validate_args and not bool(valid.all()):
            value = getattr(self, name)
            raise ValueError(
                f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                f"{self!r} to satisfy the constraint {constraint}, but found invalid values:\n{value}"
            )

    def _check_value(self, value, valid, support):
        if self._validate_args and not bool(valid.all()):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self):
        known = [(name, self.__dict__[name]) for name in self._parameters if name in self.__dict__]
        return type(self).__name__ + "(" + ", ".join(
            f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in known) + ")"
