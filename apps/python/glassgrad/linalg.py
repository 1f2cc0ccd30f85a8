"""Linear algebra (torch.linalg)."""

from glassgrad import _C, _scope
from glassgrad._matrices import LinAlgError, det, matrix_power, solve, vander
from glassgrad._matrices import cross as _cross
from glassgrad._matrices import inverse as inv
from glassgrad._names import missing as _missing

globals().update({name: value for name, value in vars(_C.linalg).items() if not name.startswith("_")})


def cross(input, other, *, dim=-1):
    """The vector products along dim, of size 3."""
    return _cross(input, other, dim)


__getattr__ = _missing("torch.linalg", globals(), _scope.LINALG)
