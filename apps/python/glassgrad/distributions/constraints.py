"""Which parameters and samples a distribution can have (torch.distributions.constraints)."""

from __future__ import annotations

from typing import Callable

from glassgrad._C import Tensor
from glassgrad._names import missing, public


class Constraint:
    """A set of values; an event of it has event_dim dimensions."""

    is_discrete = False
    event_dim = 0

    def check(self, value: Tensor) -> Tensor:
        """For each event: does it belong to the set?"""
        raise NotImplementedError

    def __repr__(self):
        return type(self).__name__.removeprefix("_") + "()"


class _Where(Constraint):
    """The values for which a function says so."""

    def __init__(self, text: str, check: Callable[[Tensor], Tensor], is_discrete=False, event_dim=0) -> None:
        self._text, self.check, self.is_discrete, self.event_dim = text, check, is_discrete, event_dim

    def __repr__(self):
        return self._text


class _Dependent(Constraint):
    """A set that hangs on other parameters."""

    def check(self, x):
        raise ValueError("Cannot determine validity of dependent constraint")


class independent(Constraint):
    """Those whose last dimensions are each an event of base_constraint: reinterpreted_batch_ndims more dimensions."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        valid, more = self.base_constraint.check(value), self.reinterpreted_batch_ndims
        if valid.dim() < more:
            raise ValueError(
                f"Expected value.dim() >= {self.base_constraint.event_dim + more} but got {value.dim()}"
            )
        return valid.reshape(*valid.shape[: valid.dim() - more], -1).all(-1)

    def __repr__(self):
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


def greater_than(lower_bound) -> Constraint:
    return _Where(f"GreaterThan(lower_bound={lower_bound})", lambda x: lower_bound < x)


def greater_than_eq(lower_bound) -> Constraint:
    return _Where(f"GreaterThanEq(lower_bound={lower_bound})", lambda x: lower_bound <= x)


def less_than(upper_bound) -> Constraint:
    return _Where(f"LessThan(upper_bound={upper_bound})", lambda x: x < upper_bound)


def interval(lower_bound, upper_bound) -> Constraint:
    return _Where(f"Interval(lower_bound={lower_bound}, upper_bound={upper_bound})",
                  lambda x: (lower_bound <= x) & (x <= upper_bound))


def half_open_interval(lower_bound, upper_bound) -> Constraint:
    return _Where(f"HalfOpenInterval(lower_bound={lower_bound}, upper_bound={upper_bound})",
                  lambda x: (lower_bound <= x) & (x < upper_bound))


def integer_interval(lower_bound, upper_bound) -> Constraint:
    return _Where(f"IntegerInterval(lower_bound={lower_bound}, upper_bound={upper_bound})",
                  lambda x: (x % 1 == 0) & (lower_bound <= x) & (x <= upper_bound), True)


def multinomial(upper_bound) -> Constraint:
    """Counts along the last dimension that add up to at most upper_bound."""
    return _Where("Multinomial()", lambda x: (x >= 0).all(-1) & (x.sum(-1) <= upper_bound), True, 1)


dependent = _Dependent()
boolean = _Where("Boolean()", lambda x: (x == 0) | (x == 1), True)
nonnegative_integer = _Where("IntegerGreaterThan(lower_bound=0)", lambda x: (x % 1 == 0) & (x >= 0), True)
positive_integer = _Where("IntegerGreaterThan(lower_bound=1)", lambda x: (x % 1 == 0) & (x >= 1), True)
real = _Where("Real()", lambda x: x == x)
real_vector = independent(real, 1)
positive, nonnegative = greater_than(0.0), greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
simplex = _Where("Simplex()", lambda x: (x >= 0).all(-1) & ((x.sum(-1) - 1).abs() < 1e-6), False, 1)

__dir__ = public(globals())
__getattr__ = missing("torch.distributions.constraints", globals())
