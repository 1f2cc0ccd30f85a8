"""What else there is (torch.utils)."""

from glassgrad._names import missing
from glassgrad.utils import hooks

__getattr__ = missing(
    "torch.utils", globals(), {"data": "cut the batches yourself, with torch.randperm for a shuffled order"}
)
