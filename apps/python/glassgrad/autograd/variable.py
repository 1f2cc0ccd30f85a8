"""torch.autograd.Variable, an old name of Tensor."""

import warnings

from glassgrad._C import Tensor


class _IsTensor(type):
    def __instancecheck__(cls, other):
        return isinstance(other, Tensor)


class Variable(metaclass=_IsTensor):
    """Variable(data, requires_grad=False): a leaf over the memory of a tensor."""

    def __new__(cls, data=None, requires_grad=False, volatile=False):
        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.", stacklevel=2
            )
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        x = Tensor() if data is None else data.detach()
        if requires_grad and not x.is_floating_point():
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return x.requires_grad_(requires_grad)


Variable.__module__ = "torch.autograd.variable"
