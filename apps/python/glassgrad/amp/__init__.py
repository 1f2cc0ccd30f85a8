"""Mixed precision (torch.amp)."""

from glassgrad._names import missing
from glassgrad.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from glassgrad.amp.grad_scaler import GradScaler

__getattr__ = missing("torch.amp", globals())
