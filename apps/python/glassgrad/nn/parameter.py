"""Tensors to be learned, and those that have no shape yet (torch.nn.parameter)."""

from glassgrad._C import Parameter
from glassgrad.nn.modules.lazy import UninitializedBuffer, UninitializedParameter
