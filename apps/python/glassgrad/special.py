"""Special functions (torch.special)."""

from glassgrad import _C
from glassgrad._names import missing as _missing

globals().update({name: value for name, value in vars(_C.special).items() if not name.startswith("_")})
__getattr__ = _missing("torch.special", globals())
