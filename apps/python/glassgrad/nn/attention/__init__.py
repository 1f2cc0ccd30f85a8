"""What attention is called with (torch.nn.attention)."""

from glassgrad._names import missing
from glassgrad.nn.attention import bias

__getattr__ = missing("torch.nn.attention", globals())
