"""What all distributions share (torch.distributions.distribution)."""

from __future__ import annotations

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad.distributions import constraints


class Distribution:
    """A batch of distributions of events: batch_shape, and event_shape, the shape of one sample.

    A subclass defines rsample or sample, log_prob and entropy, and the constraints arg_constraints of its parameters
    and support of its samples. validate_args: whether parameters and values are checked, with ValueError for those
    that cannot be.
    """

    has_rsample = has_enumerate_support = False
    arg_constraints: dict[str, constraints.Constraint] = {}  # in print order
    _validate = __debug__

    def __init__(self, batch_shape=torch.Size(), event_shape=torch.Size(), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = batch_shape, event_shape
        self._validate_args = Distribution._validate if validate_args is None else validate_args
        for name, constraint in self.arg_constraints.items() if self._validate_args else ():
            if constraint is not constraints.dependent and name in self.__dict__:
                self._check_parameter(name, constraint)

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
    def support(self) -> constraints.Constraint:
        """The values that samples can have."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        raise NotImplementedError

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

    def cdf(self, value: Tensor) -> Tensor:
        """How probable a smaller one is."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """Below which number a share of that size lies."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values, along a new first dimension, of a discrete distribution."""
        raise NotImplementedError

    def expand(self, batch_shape) -> Distribution:
        """The same distribution with more batch dimensions."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape=()):
        return torch.Size(tuple(sample_shape) + tuple(self._batch_shape) + tuple(self._event_shape))

    def _check_parameter(self, name, constraint):
        value = self.__dict__[name]
        if not bool(constraint.check(value).all()):
            raise ValueError(
                f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
            )

    def _validate_sample(self, value):
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, events = value.size(), len(self._event_shape)
        if shape[len(shape) - events:] != tuple(self._event_shape):
            raise ValueError(
                f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}."
            )
        expected = self._extended_shape()
        if any(a != b and 1 not in (a, b) for a, b in zip(reversed(shape), reversed(expected))):
            raise ValueError(
                f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}."
            )
        if not bool(self.support.check(value).all()):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(shape)}) to be within the "
                f"support ({self.support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self):
        known = [(name, self.__dict__[name]) for name in self.arg_constraints if name in self.__dict__]
        return type(self).__name__ + "(" + ", ".join(
            f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in known) + ")"


def broadcast_all(*values):
    """Tensors of one shape; numbers take dtype and device of a tensor among them, or the default dtype."""
    given = [x for x in values if isinstance(x, Tensor)]
    like = {"dtype": given[0].dtype, "device": given[0].device} if given else {"dtype": torch.get_default_dtype()}
    return torch.broadcast_tensors(*(x if isinstance(x, Tensor) else torch.tensor(x, **like) for x in values))


def clamp_probs(probs):
    """Probabilities whose logarithms are finite."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)
