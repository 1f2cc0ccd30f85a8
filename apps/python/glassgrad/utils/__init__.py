"""What else there is (torch.utils)."""

from glassgrad._names import missing
from glassgrad.utils import data, hooks

__getattr__ = missing("torch.utils", globals())
