"""Linear algebra (torch.linalg)."""

from glassgrad import _C, _scope
from glassgrad._C import LinAlgError
from glassgrad._names import missing as _missing

globals().update({name: value for name, value in vars(_C.linalg).items() if not name.startswith("_")})

__getattr__ = _missing("torch.linalg", globals(), _scope.LINALG)
