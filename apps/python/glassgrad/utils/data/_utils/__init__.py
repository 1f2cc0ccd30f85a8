"""What a DataLoader is made of (torch.utils.data._utils)."""

from glassgrad._names import missing
from glassgrad.utils.data._utils import collate

__getattr__ = missing("torch.utils.data._utils", globals(), below=("worker",))
