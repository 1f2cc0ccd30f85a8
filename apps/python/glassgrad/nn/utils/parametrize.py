"""Parameters and buffers that are computed from others (torch.nn.utils.parametrize)."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import contextmanager

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad._names import missing, present_as_torch
from glassgrad.nn.modules.container import ModuleDict, ModuleList
from glassgrad.nn.modules.module import Module

_blocks = 0  # of cached() that are open
_cache = {}


@contextmanager
def cached():
    """In the `with` block a parametrized tensor is computed once, when it is asked for first."""
    global _blocks
    _blocks += 1
    try:
        yield
    finally:
        _blocks -= 1
        if not _blocks:
            _cache.clear()


def _register(module, name, x):
    if isinstance(x, Parameter):
        module.register_parameter(name, x)
    else:
        module.register_buffer(name, x)


def _take_over(original, new):
    """The original keeps its identity, so an optimizer need not be told, and has the new numbers in their memory."""
    if original is not new:
        original.data = new.detach()


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, called one after the other: forward() gives the tensor.

    They start from the parameter or buffer `original`, or from original0, original1, … where the right_inverse of the
    first one gives several.
    """

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        new = self._inverted(original)
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                             f"Got {type(new).__name__}")
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            self._keep_one(original, new)
        else:
            self._keep_several(original, new)
        if not self.unsafe:
            self._check(shape, dtype)

    def _inverted(self, new):
        """new through every right_inverse, from the last to the first; one that is missing is the identity."""
        with torch.no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass
        return new

    def _keep_one(self, original, new):
        for what in "dtype", "device":
            if getattr(original, what) != getattr(new, what):
                raise ValueError(
                    f"When `right_inverse` outputs one tensor, it may not change the {what}.\n"
                    f"original.{what}: {getattr(original, what)}\n"
                    f"right_inverse(original).{what}: {getattr(new, what)}"
                )
        _take_over(original, new)
        _register(self, "original", original)

    def _keep_several(self, original, new):
        for i, part in enumerate(new):
            if not isinstance(part, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                    f"Got element {i} of the sequence with type {type(part).__name__}."
                )
            if isinstance(original, Parameter):
                part = Parameter(part, original.requires_grad)
            _register(self, f"original{i}", part.requires_grad_(original.requires_grad))

    def _check(self, shape, dtype):
        x = self()
        if not isinstance(x, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(x).__name__}.")
        for what, was, now in ("dtype", dtype, x.dtype), ("shape", shape, x.shape):
            if was != now:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is "
                    f"enabled.\nunparametrized {what}: {was}\nparametrized {what}: {now}"
                )

    def right_inverse(self, value: Tensor) -> None:
        """Makes the originals such that forward() gives value, by the right_inverse of every parametrization."""
        with torch.no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                if value.dtype != self.original.dtype:
                    raise ValueError(
                        "The tensor returned by `right_inverse` has dtype "
                        f"{value.dtype} while `original` has dtype {self.original.dtype}"
                    )
                _take_over(self.original, value)
                return
            if not isinstance(value, Sequence):
                raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
            if len(value) != self.ntensors:
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of "
                    f"length {len(value)}."
                )
            for i, part in enumerate(value):
                self._take_part(i, part)

    def _take_part(self, i, part):
        original = getattr(self, f"original{i}")
        if not isinstance(part, Tensor):
            raise ValueError(f"`right_inverse` must return a sequence of tensors. Got element {i} of type "
                             f"{type(part).__name__}")
        if original.dtype != part.dtype:
            raise ValueError(f"Tensor {i} returned by `right_inverse` has dtype {part.dtype} while `original{i}` has "
                             f"dtype {original.dtype}")
        _take_over(original, part)

    def forward(self) -> Tensor:
        first, *others = self
        x = first(self.original) if self.is_tensor else first(
            *(getattr(self, f"original{i}") for i in range(self.ntensors))
        )
        for module in others:
            x = module(x)
        return x


def _give_class(module):
    """A class of its own for the module, which properties may be added to."""
    kind = type(module)

    def __getstate__(self):
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        made = memo[id(self)] = self.__new__(type(self))
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return made

    names = {"__getstate__": __getstate__, "__module__": "torch.nn.utils.parametrize"}
    if not hasattr(kind, "__deepcopy__"):
        names["__deepcopy__"] = __deepcopy__
    module.__class__ = type(f"Parametrized{kind.__name__}", (kind,), names)


def _add_property(module, name):
    def compute(self):
        if not _blocks:
            return self.parametrizations[name]()
        if (id(self), name) not in _cache:
            _cache[id(self), name] = self.parametrizations[name]()
        return _cache[id(self), name]

    def assign(self, value):
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(compute, assign))


def register_parametrization(module: Module, tensor_name: str, parametrization: Module, *,
                             unsafe: bool = False) -> Module:
    """module.NAME becomes parametrization(original), computed at each access; gives the module.

    original, the parameter or buffer of that name, is module.parametrizations.NAME.original from now on, with the
    numbers of parametrization.right_inverse if it has one; then assigning to module.NAME is possible too. Several
    parametrizations are called in the order of their registration. ValueError if dtype or shape change, unless unsafe.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        parametrizations = module.parametrizations[tensor_name]
        if not unsafe:
            _check_second(module, tensor_name, parametrization)
        parametrizations.append(parametrization)
        parametrizations.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        parametrizations = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _give_class(module)
            module.parametrizations = ModuleDict()
        _add_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def _check_second(module, name, parametrization):
    """A parametrization on top of others keeps dtype and shape, both ways."""
    before = getattr(module, name)
    after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in "dtype", "shape":
        was, now = getattr(before, what), getattr(after, what)
        if was != now:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is "
                f"enabled.\nmodule.{name}.{what}: {was}\nparametrization(module.{name}).{what}: {now}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in "dtype", "shape":
        was, now = getattr(before, what), getattr(back, what)
        if was != now:
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, "
                f"unless the `unsafe` flag is enabled.\nmodule.{name}.{what}: {was}\n"
                f"returned {what}: {now}"
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether the module's tensor of that name is computed by parametrizations; without a name, whether any is."""
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """module.NAME is a plain parameter or buffer again, with the numbers that it had, or without leave_parametrized
    with those of `original`; gives the module.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with torch.no_grad():
                x = getattr(module, tensor_name)
            _take_over(original, x)
    elif leave_parametrized:
        x = getattr(module, tensor_name)
        original = Parameter(x) if x.requires_grad else x
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The module's class without its parametrizations."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module: Module, to_module: Module,
                                         tensor_name: str | None = None) -> Module:
    """Copies the parametrizations of one module, and the numbers they start from, to another; gives that one."""
    if not is_parametrized(from_module):
        return to_module
    assert isinstance(from_module.parametrizations, ModuleDict)
    names = from_module.parametrizations if tensor_name is None else [tensor_name]
    assert hasattr(names, "__iter__")
    for name in names:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in from_module.parametrizations[name]:
            register_parametrization(to_module, name, parametrization)
        given, taken = from_module.parametrizations[name], to_module.parametrizations[name]
        for part in ["original"] if given.is_tensor else [f"original{i}" for i in range(given.ntensors)]:
            setattr(taken, part, getattr(given, part))
    return to_module


present_as_torch(globals())
__getattr__ = missing("torch.nn.utils.parametrize", globals())
