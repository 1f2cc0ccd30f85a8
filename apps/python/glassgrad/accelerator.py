"""The GPU, whatever its kind (torch.accelerator)."""

from glassgrad import cuda as _cuda
from glassgrad._C import device as _device
from glassgrad._names import missing as _missing


def is_available():
    """Is there a GPU to compute on?"""
    return _cuda.is_available()


def device_count():
    """How many there are."""
    return _cuda.device_count()


def current_accelerator(check_available=False):
    """torch.device("cuda"), or None where there is none."""
    return _device("cuda") if is_available() else None


def current_device_index():
    """The number of the GPU that "cuda" means."""
    return _cuda.current_device()


def synchronize(device=None):
    """Waits until the GPU has done all that was asked of it."""
    if not is_available():
        raise RuntimeError("Cannot access accelerator device when none is available.")
    _cuda.synchronize(device)


__getattr__ = _missing("torch.accelerator", globals())
