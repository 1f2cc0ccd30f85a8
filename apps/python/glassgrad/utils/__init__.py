"""What else there is (torch.utils)."""

from glassgrad._names import missing, public
from glassgrad.utils import data, hooks

__dir__ = public(globals())
__getattr__ = missing("torch.utils", globals(), below=("checkpoint", "tensorboard"))
