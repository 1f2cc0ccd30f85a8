"""Hooks of one module and of all modules, and how they are registered (torch.nn.modules.module)."""

from __future__ import annotations

from collections import OrderedDict
from typing import Callable

from glassgrad.utils.hooks import RemovableHandle

# A module's hooks by their ids; the dicts of settings hold the ids that have the setting.
KINDS = (
    "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_forward_hooks", "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called", "_backward_pre_hooks", "_backward_hooks", "_state_dict_pre_hooks",
    "_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)
everywhere = OrderedDict()  # id → (kind, hook, settings): around the calls of all modules
at_registration = OrderedDict()  # id → (kind, hook): when any module gets a part


def none_yet():
    """The attributes of a module without hooks."""
    return {kind: OrderedDict() for kind in KINDS}


def of_all_modules(kind):
    """(id, hook, settings) of each hook of that kind for all modules."""
    return [(key, hook, settings) for key, (of, hook, settings) in everywhere.items() if of == kind]


def registered(kind, module, name, value):
    """The part, a "parameter", "buffer" or "module", as the hooks at registration replace it."""
    for of, hook in list(at_registration.values()):
        if of == kind:
            replaced = hook(module, name, value)
            value = value if replaced is None else replaced
    return value


class _WithoutModule:
    """A hook that is called without the module; pickle can take it, unlike a lambda."""

    def __init__(self, hook):
        self.hook = hook

    def __call__(self, module, *args):
        return self.hook(*args)


class Hooked:
    """A module as far as others may hook into it. Each method returns a handle with remove()."""

    def _add_hook(self, kind, hook, prepend=False, **settings):
        hooks = getattr(self, kind)
        marks = [getattr(self, f"{kind}_{setting}") for setting in settings]
        handle = RemovableHandle(hooks, extra_dict=marks)
        hooks[handle.id] = hook
        for mark, on in zip(marks, settings.values()):
            if on:
                mark[handle.id] = True
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def register_forward_hook(self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False,
                              always_call: bool = False):
        """After every call: hook(module, args, output), or hook(module, args, kwargs, output).

        What it returns, if not None, replaces the output. always_call: also after a call that fails, with the output
        as far as there is one.
        """
        return self._add_hook("_forward_hooks", hook, prepend, with_kwargs=with_kwargs, always_called=always_call)

    def register_forward_pre_hook(self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False):
        """Before every call: hook(module, args), or hook(module, args, kwargs).

        What it returns, if not None, replaces the arguments; with_kwargs, it returns both, (args, kwargs).
        """
        return self._add_hook("_forward_pre_hooks", hook, prepend, with_kwargs=with_kwargs)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False):
        """In every backward pass: hook(module, grad_input, grad_output), tuples of the gradients of args and output.

        A tuple that it returns replaces grad_input.
        """
        return self._add_hook("_backward_hooks", hook, prepend)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False):
        """In every backward pass, before the module's own: hook(module, grad_output).

        What it returns, if not None, replaces grad_output.
        """
        return self._add_hook("_backward_pre_hooks", hook, prepend)

    def register_state_dict_pre_hook(self, hook: Callable):
        """Before state_dict() takes this module's tensors: hook(module, prefix, keep_vars)."""
        return self._add_hook("_state_dict_pre_hooks", hook)

    def register_state_dict_post_hook(self, hook: Callable):
        """After state_dict() has taken this module's and its children's: hook(module, state_dict, prefix, metadata).

        It may change the state in place. RuntimeError if it returns anything.
        """
        hook._from_public_api = True
        return self._add_hook("_state_dict_hooks", hook)

    def _register_state_dict_hook(self, hook: Callable):
        """The same, but what the hook returns, if not None, is the state from then on."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return self._add_hook("_state_dict_hooks", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable):
        """Before a load: hook(module, state_dict, prefix, metadata, strict, missing_keys, unexpected_keys, error_msgs).

        The state is a copy of the caller's: the hook may drop and rename what it holds.
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook: Callable, with_module: bool = False):
        return self._add_hook("_load_state_dict_pre_hooks", hook if with_module else _WithoutModule(hook))

    def register_load_state_dict_post_hook(self, hook: Callable):
        """After a load: hook(module, incompatible_keys), whose lists missing_keys and unexpected_keys it may change.

        strict looks at them afterwards. AssertionError if it returns anything.
        """
        return self._add_hook("_load_state_dict_post_hooks", hook)


# ---- for all modules at once
def _add(hooks, *entry):
    handle = RemovableHandle(hooks)
    hooks[handle.id] = entry
    return handle


def register_module_forward_pre_hook(hook: Callable):
    """Before every call of any module, and before its own hooks: hook(module, args)."""
    return _add(everywhere, "forward_pre", hook, ())


def register_module_forward_hook(hook: Callable, *, with_kwargs: bool = False, always_call: bool = False):
    """After every call of any module, and before its own hooks: hook(module, args, output)."""
    settings = [("with_kwargs", with_kwargs), ("always_called", always_call)]
    return _add(everywhere, "forward", hook, [setting for setting, on in settings if on])


def register_module_full_backward_pre_hook(hook: Callable):
    """In every backward pass through any module: hook(module, grad_output)."""
    return _add(everywhere, "backward_pre", hook, ())


def register_module_full_backward_hook(hook: Callable):
    """In every backward pass through any module: hook(module, grad_input, grad_output)."""
    return _add(everywhere, "backward", hook, ())


def register_module_parameter_registration_hook(hook: Callable):
    """When any module gets a parameter: hook(module, name, parameter). What it returns, if not None, is registered."""
    return _add(at_registration, "parameter", hook)


def register_module_buffer_registration_hook(hook: Callable):
    """When any module gets a buffer: hook(module, name, buffer). What it returns, if not None, is registered."""
    return _add(at_registration, "buffer", hook)


def register_module_module_registration_hook(hook: Callable):
    """When any module gets a child: hook(module, name, child). What it returns, if not None, is registered."""
    return _add(at_registration, "module", hook)
