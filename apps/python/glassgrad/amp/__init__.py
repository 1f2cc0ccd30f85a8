"""Mixed precision (torch.amp)."""

from glassgrad._names import missing
from glassgrad.amp.autocast_mode import autocast, is_autocast_available

__getattr__ = missing("torch.amp", globals())
