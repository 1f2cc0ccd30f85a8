"""Layers and models as trees of named parameters, buffers and child modules (torch.nn.Module)."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Iterator, Mapping

import glassgrad as torch
from glassgrad._C import Parameter, Tensor, _nn
from glassgrad._names import new, typename
from glassgrad.nn.modules import calls, hooks, state
from glassgrad.nn.modules.hooks import (
    register_module_buffer_registration_hook, register_module_forward_hook, register_module_forward_pre_hook,
    register_module_full_backward_hook, register_module_full_backward_pre_hook,
    register_module_module_registration_hook, register_module_parameter_registration_hook,
)


def _indented(text):
    return text.replace("\n", "\n  ")


class Module(hooks.Hooked):
    """A tree of parameters, buffers and child modules, each registered by being assigned to an attribute.

    Subclasses call super().__init__() first, then assign, and define forward; module(x) calls it.
    """

    training: bool
    _version: int = 1  # of what state_dict() holds
    _is_list = False  # a list of modules is never called itself
    _has_scope = True  # in a trace, its ops stand in a scope of its name

    def __init__(self, *args, **kwargs) -> None:
        cls = type(self).__name__
        if kwargs:
            raise TypeError(f"{cls}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
        if args:
            raise TypeError(f"{cls}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        # Bypass __setattr__, which looks into these dicts.
        self.__dict__.update(
            training=True,
            _parameters={},
            _buffers={},
            _non_persistent_buffers_set=set(),
            _modules={},
            **hooks.none_yet(),
        )

    # ---- calls
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What module(…) computes: each class defines its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if (self._backward_hooks or self._backward_pre_hooks or self._forward_pre_hooks or self._forward_hooks
                or hooks.everywhere):
            return calls.with_hooks(self, args, kwargs)
        if _nn.watching():
            return calls.watched(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: there is nothing to compile. torch.compile(module) gives a module around it."""

    # ---- registration
    def _check_name(self, kind, name, registered):
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if kind == "module" and hasattr(self, name) and name not in registered:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in registered:
            raise KeyError(f"attribute '{name}' already exists")

    def _registered(self, kind, slots):
        if slots not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        return self.__dict__[slots]

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a Parameter, or None for one that there is none of; then it is no part of state_dict()."""
        parameters = self._registered("parameter", "_parameters")
        self._check_name("parameter", name, parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        parameters[name] = param if param is None else hooks.registered("parameter", self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that is not learned; persistent: part of state_dict()."""
        buffers = self._registered("buffer", "_buffers")
        self._check_name("buffer", name, buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        buffers[name] = hooks.registered("buffer", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds a child, which `module.NAME` then gives."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("module", name, self._modules)
        self._modules[name] = hooks.registered("module", self, name, module)

    register_module = add_module

    # ---- attributes
    def __getattr__(self, name: str) -> Any:
        """The parameter, buffer or child of that name; plain attributes are found before."""
        own = self.__dict__
        for slots in ("_parameters", "_buffers", "_modules"):
            if slots in own and name in own[slots]:
                return own[slots][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        own = self.__dict__
        if isinstance(value, Parameter):
            self._registered("parameters", "_parameters")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif name in own.get("_parameters", ()):
            self._check_none(name, value, "parameter", "torch.nn.Parameter")
            own["_parameters"][name] = None
        elif isinstance(value, Module):
            self._registered("module", "_modules")
            self._forget(name, "_modules")
            own["_modules"][name] = hooks.registered("module", self, name, value)
        elif name in own.get("_modules", ()):
            self._check_none(name, value, "child module", "torch.nn.Module")
            own["_modules"][name] = hooks.registered("module", self, name, None)
        elif isinstance(value, Tensor) and getattr(value, "_is_buffer", False):
            self.register_buffer(name, value, value.persistent)
        elif name in own.get("_buffers", ()):
            if not isinstance(value, Tensor):
                self._check_none(name, value, "buffer", "torch.nn.Buffer, torch.Tensor")
            own["_buffers"][name] = hooks.registered("buffer", self, name, value)
        else:
            object.__setattr__(self, name, value)

    @staticmethod
    def _check_none(name, value, kind, expected):
        if value is not None:
            raise TypeError(f"cannot assign '{typename(value)}' as {kind} '{name}' ({expected} or None expected)")

    def _forget(self, name, kept):
        """What stood under this name before, of another kind."""
        self.__dict__.pop(name, None)
        for slots in {"_parameters", "_buffers", "_modules"} - {kept}:
            self.__dict__[slots].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name):
        for slots in (self._parameters, self._buffers, self._modules):
            if name in slots:
                del slots[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self):
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[0].isdigit())

    def __setstate__(self, state):
        self.__dict__.update(hooks.none_yet() | state)

    def __reduce_ex__(self, protocol):
        reduced = super().__reduce_ex__(protocol)
        cls = type(self)
        if not cls.__module__.startswith("torch."):
            return reduced
        return (new, (cls.__module__, cls.__qualname__), *reduced[2:])

    __setstate__ = state.restore

    # ---- the tree
    def _named_members(self, members, prefix, recurse, remove_duplicate):
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, value in members(module).items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def named_parameters(self, prefix: str = "", recurse: bool = True,
                         remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:
        """(name, parameter) of all modules, depth first; one that is reached twice only under its first name."""
        return self._named_members(lambda module: module._parameters, prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The same without names; without recurse, of this module only."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True,
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """(name, buffer) of all modules, also of those that are no part of state_dict()."""
        return self._named_members(lambda module: module._buffers, prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The same without names."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """(name, module) of the modules right below this one."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator[Module]:
        """The same without names."""
        return (module for _, module in self.named_children())

    def named_modules(self, memo=None, prefix: str = "",
                      remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """(name, module), this one first, with the name ""."""
        memo = set() if memo is None else memo
        if id(self) in memo:
            return
        if remove_duplicate:
            memo.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """The same without names."""
        return (module for _, module in self.named_modules())

    def _attribute(self, name):
        if not hasattr(self, name):
            raise AttributeError(f"{self._get_name()} has no attribute `{name}`")
        return getattr(self, name)

    def get_submodule(self, target: str) -> Module:
        """The module of that path, "blocks.0.attention"."""
        module = self
        for name in target.split(".") if target else ():
            module = module._attribute(name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of that path, "blocks.0.attention.weight"."""
        path, _, name = target.rpartition(".")
        parameter = self.get_submodule(path)._attribute(name)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of that path."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        buffer = module._attribute(name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    def apply(self, fn):
        """fn(module) for every module, children first."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # ---- modes and conversions
    def train(self, mode=True):
        """Training mode, here and in all children: dropout drops only then."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """train(False): evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Whether the parameters are learned; False freezes them."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Every gradient becomes None, or zeros."""
        for parameter in self.parameters():
            state.zero_grad(parameter, set_to_none)

    def _apply(self, fn, recurse=True):
        """Every parameter, gradient and buffer becomes fn(it); the parameters stay the same objects."""
        for module in self.children() if recurse else ():
            module._apply(fn)
        with torch.no_grad():
            for parameter in self._parameters.values():
                if parameter is not None:
                    parameter.data = fn(parameter.data)
                    if parameter.grad is not None:
                        parameter.grad = fn(parameter.grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args, **kwargs):
        """to(dtype), to(device), to(device, dtype), to(tensor): only floating tensors change their dtype."""
        device, dtype = state.destination(*args, **kwargs)
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        return self._apply(lambda t: state.moved(t, device, dtype))

    def to_empty(self, *, device, recurse=True):
        """All tensors on that device, of the same shapes and with whatever numbers are in its memory."""
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse)

    def type(self, dst_type):
        """All tensors in that dtype, torch.float64 or "torch.DoubleTensor"."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """The floating tensors as float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        """The floating tensors as float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        """The floating tensors as float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        """The floating tensors as bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def cpu(self):
        """All tensors on the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device=None):
        """All tensors on a GPU, the first without `device`; Tensor.cuda's errors."""
        return self._apply(lambda t: t.cuda(device))

    # ---- saving and loading
    def state_dict(self, destination=None, prefix: str = "", keep_vars: bool = False) -> dict[str, Tensor]:
        """All there is to save, by name: tensors that share memory with the module's, with keep_vars its own."""
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        return state.save(self, destination, prefix, keep_vars)

    def _own_state(self):
        persistent = ((k, v) for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set)
        return {name: value for name, value in (*self._parameters.items(), *persistent) if value is not None}

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, value in self._own_state().items():
            destination[prefix + name] = value if keep_vars or hasattr(value, "materialize") else value.detach()

    def load_state_dict(self, state_dict: Mapping[str, Tensor], strict: bool = True, assign: bool = False):
        """Copies every tensor that has one of our names; with assign, takes the tensors themselves.

        RuntimeError with everything that does not fit, and, if strict, every name that is missing or unexpected.
        """
        return state.load(self, state_dict, strict, assign)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        """Loads this module's own tensors, not its children's: for classes that know older forms of their state."""
        state.load_own(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)

    # ---- printing
    def _get_name(self):
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands between the brackets: "p=0.1, inplace=False"."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({key}): {_indented(repr(module))}" for key, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({extra})"
        body = "".join(f"\n  {line}" for line in lines + children)
        return f"{self._get_name()}({body}\n)" if body else f"{self._get_name()}()"
