"""Hooks of one optimizer and of all: around step(), state_dict() and load_state_dict() (torch.optim.optimizer)."""

from __future__ import annotations

import functools
from collections import OrderedDict
from typing import Callable

from glassgrad.utils.hooks import RemovableHandle

_before_every_step, _after_every_step = OrderedDict(), OrderedDict()
_KINDS = ("step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post")


def _added(hooks, hook, prepend=False):
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook: Callable):
    """Before every step of any optimizer, and before its own hooks: hook(optimizer, args, kwargs)."""
    return _added(_before_every_step, hook)


def register_optimizer_step_post_hook(hook: Callable):
    """After every step of any optimizer, and after its own hooks: hook(optimizer, args, kwargs)."""
    return _added(_after_every_step, hook)


class Hooked:
    """An optimizer as far as others may hook into it. Each method returns a handle with remove()."""

    def _begin_without_hooks(self):
        for kind in _KINDS:
            setattr(self, f"_optimizer_{kind}_hooks", OrderedDict())
        cls = type(self)
        if not getattr(cls.step, "hooked", False):
            cls.step = _with_hooks(cls.step)

    def register_step_pre_hook(self, hook: Callable):
        """Before every step(): hook(optimizer, args, kwargs). What it returns, if not None, is (args, kwargs) of step.

        args begin with the optimizer.
        """
        return _added(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable):
        """After every step(): hook(optimizer, args, kwargs)."""
        return _added(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable, prepend: bool = False):
        """Before state_dict(): hook(optimizer)."""
        return _added(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable, prepend: bool = False):
        """After state_dict(): hook(optimizer, state_dict). What it returns, if not None, replaces the state."""
        return _added(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable, prepend: bool = False):
        """Before load_state_dict(): hook(optimizer, state_dict), a shallow copy of the caller's dict.

        What it returns, if not None, replaces the state.
        """
        return _added(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable, prepend: bool = False):
        """After load_state_dict(): hook(optimizer)."""
        return _added(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def _through_hooks(self, kind, state_dict):
        """The state as the hooks of that kind hand it on."""
        for hook in list(getattr(self, f"_optimizer_{kind}_hooks").values()):
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        return state_dict


def _with_hooks(step):
    @functools.wraps(step)
    def hooked(*args, **kwargs):
        self, *_ = args
        for hook in [*_before_every_step.values(), *self._optimizer_step_pre_hooks.values()]:
            changed = hook(self, args, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"<function {type(self).__name__}.step at {id(step):#x}> must return None or a tuple of "
                        f"(new_args, new_kwargs), but got {changed}."
                    )
                args, kwargs = changed
        result = step(*args, **kwargs)
        for hook in [*self._optimizer_step_post_hooks.values(), *_after_every_step.values()]:
            hook(self, args, kwargs)
        return result

    hooked.hooked = True
    return hooked
