"""Functions whose gradient is written in Python (torch.autograd.function)."""

from glassgrad._autograd import Function, FunctionCtx
