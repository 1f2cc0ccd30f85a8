"""A tensor to be learned (torch.nn.parameter)."""

from glassgrad._C import Parameter
