"""The back of PyTorch's compiler (torch._inductor), as far as programs set it: there is none."""

from glassgrad._inductor import config
from glassgrad._names import missing as _missing

__getattr__ = _missing("torch._inductor", globals())
__name__ = "torch._inductor"
