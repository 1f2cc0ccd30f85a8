"""Functions of layers that hold no parameters (torch.nn.functional)."""

from glassgrad import _C, _scope
from glassgrad._names import missing as _missing

globals().update({name: value for name, value in vars(_C.F).items() if not name.startswith("_")})
__getattr__ = _missing("torch.nn.functional", globals(), _scope.FUNCTIONAL)
