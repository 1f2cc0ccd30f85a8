"""Modules whose sizes come with their first input (torch.nn.modules.lazy)."""

from __future__ import annotations

from types import BuiltinMethodType, MethodType

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad.nn.modules.module import Module


# Methods of tensors that need no shape.
_ALLOWED = set("size copy_ is_complex is_floating_point half float double char short int long cuda cpu to get_device "
               "share_memory_ materialize".split())


class _Uninitialized:
    """Has no shape yet: materialize(shape) makes it a tensor of its kind."""

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if name.startswith("__") or name in _ALLOWED or not isinstance(found, (BuiltinMethodType, MethodType)):
            return found

        def refuse(*args, **kwargs):
            raise ValueError(
                f"Attempted to use an uninitialized parameter in <method '{name}' of 'torch._C.TensorBase' objects>. "
                "This error happens when you are using a `LazyModule` or explicitly manipulating "
                f"`torch.nn.parameter.{type(self).__name__}` objects. When using LazyModules Call `forward` with a "
                "dummy batch to initialize the parameters before calling torch functions"
            )

        return refuse

    def share_memory_(self):
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    def __reduce_ex__(self, protocol):
        return type(self), (self.requires_grad,)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]

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


def is_lazy(param) -> bool:
    """Whether it has no shape yet."""
    return isinstance(param, _Uninitialized)


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
        return any(is_lazy(x) for x in (*self._parameters.values(), *self._buffers.values()))

    def __call__(self, *args, **kwargs):
        if self.has_uninitialized_params():
            with torch.no_grad():
                self.initialize_parameters(*args, **kwargs)
        if self.cls_to_become is not None:
            self.__class__ = self.cls_to_become
        return self(*args, **kwargs)
