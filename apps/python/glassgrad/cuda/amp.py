"""Old names of torch.amp for GPUs (torch.cuda.amp)."""

from glassgrad.amp import autocast_mode, grad_scaler
from glassgrad.amp.autocast_mode import custom_bwd, custom_fwd
from glassgrad._names import missing as _missing


class GradScaler(grad_scaler.GradScaler):
    """torch.amp.GradScaler("cuda")."""

    def __init__(self, init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


class autocast(autocast_mode.autocast):
    """torch.autocast("cuda")."""

    def __init__(self, enabled=True, dtype=None, cache_enabled=True):
        super().__init__("cuda", dtype, enabled, cache_enabled)


__getattr__ = _missing("torch.cuda.amp", globals())
