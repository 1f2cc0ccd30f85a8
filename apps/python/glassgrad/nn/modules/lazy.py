"""Modules whose sizes come with their first input (torch.nn.modules.lazy)."""

from __future__ import annotations

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad.nn.modules.module import Module


class _Uninitialized:
    """Has no shape yet: materialize(shape) makes it a tensor of its kind."""

    @property
    def shape(self):
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def __repr__(self):
        return f"<{type(self).__name__}>"

    def materialize(self, shape, device=None, dtype=None) -> None:
        """It has this shape from now on, and whatever numbers were in its memory."""
        old = self.data
        self.__class__ = self._becomes
        self.data = torch.empty(shape, device=device or old.device, dtype=dtype or old.dtype)


class UninitializedParameter(_Uninitialized, Parameter):
    """A parameter of no shape yet."""

    __module__ = "torch.nn.parameter"
    _becomes = Parameter

    def __new__(cls, requires_grad: bool = True, device=None, dtype=None):
        return super().__new__(cls, torch.empty(0, device=device, dtype=dtype), requires_grad)


class UninitializedBuffer(_Uninitialized, Tensor):
    """A buffer of no shape yet."""

    __module__ = "torch.nn.parameter"
    _becomes = Tensor

    def __new__(cls, requires_grad: bool = False, device=None, dtype=None):
        made = super().__new__(cls)
        made.data = torch.empty(0, device=device, dtype=dtype)
        return made


class LazyModule(Module):
    """Calls initialize_parameters(*inputs) before its first forward, and then becomes cls_to_become."""

    cls_to_become: type | None = None

    def has_uninitialized_params(self) -> bool:
        return any(isinstance(x, _Uninitialized) for x in (*self._parameters.values(), *self._buffers.values()))

    def __call__(self, *args, **kwargs):
        if self.has_uninitialized_params():
            with torch.no_grad():
                self.initialize_parameters(*args, **kwargs)
        if self.cls_to_become is not None:
            self.__class__ = self.cls_to_become
        return self(*args, **kwargs)
