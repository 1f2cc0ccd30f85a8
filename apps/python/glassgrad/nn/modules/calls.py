"""Calls of modules that somebody looks at: hooks, or a trace."""

import warnings

from glassgrad._autograd import real_of
from glassgrad._C import _nn
from glassgrad.nn.modules import gradients, hooks

_names = None  # id(module) → its name in the trace of the current call


def with_hooks(module, args, kwargs):
    """module(*args, **kwargs) between the hooks that were registered before and after it."""
    return _Hooked(module, args, kwargs).run()


class _Hooked:
    """One call of a module with hooks: its arguments and its result as the hooks have changed them so far."""

    def __init__(self, module, args, kwargs):
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result = None
        self.called = set()  # the ids of the hooks that ran after forward

    def run(self):
        try:
            return self._between_hooks()
        except Exception:
            self._call_the_rest()
            raise

    def _between_hooks(self):
        module = self.module
        self._before()
        around = gradients.call_with_hooks(module)
        if around:
            self.args = around.inputs(self.args)
        run = watched if _nn.watching() else _plain
        self.result = run(module, self.args, self.kwargs)
        for key, hook, settings, _ in self._after():
            self.called.add(key)
            self._changed_by(hook, settings)
        return around.outputs(self.result) if around else self.result

    def _before(self):
        module, with_kwargs = self.module, self.module._forward_pre_hooks_with_kwargs
        everywhere = [(key, hook) for key, hook, _ in hooks.of_all_modules("forward_pre")]
        for key, hook in [*everywhere, *module._forward_pre_hooks.items()]:
            if key not in with_kwargs:
                changed = hook(module, self.args)
                if changed is not None:
                    self.args = changed if isinstance(changed, tuple) else (changed,)
                continue
            changed = hook(module, self.args, self.kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                self.args, self.kwargs = changed

    def _after(self):
        """(id, hook, settings, what a warning calls it) of the hooks after forward."""
        module, found = self.module, [(*entry, "global module") for entry in hooks.of_all_modules("forward")]
        for key, hook in module._forward_hooks.items():
            settings = ["with_kwargs"] if key in module._forward_hooks_with_kwargs else []
            settings += ["always_called"] if key in module._forward_hooks_always_called else []
            found.append((key, hook, settings, "module"))
        return found

    def _changed_by(self, hook, settings):
        given = (self.args, self.kwargs) if "with_kwargs" in settings else (self.args,)
        changed = hook(self.module, *given, self.result)
        if changed is not None:
            self.result = changed

    def _call_the_rest(self):
        """After an error: the hooks with always_call that have not run."""
        for key, hook, settings, kind in self._after():
            if "always_called" in settings and key not in self.called:
                try:
                    self._changed_by(hook, settings)
                except Exception as error:
                    warnings.warn(
                        f"{kind} forward hook with ``always_call=True`` raised an exception that was silenced as "
                        f"another error was raised in forward: {error}",
                        stacklevel=5,
                    )


def _plain(module, args, kwargs):
    return module.forward(*args, **kwargs)


def watched(module, args, kwargs):
    """In a trace the module's ops stand in a scope of its name, which begins by naming its parameters and buffers."""
    global _names
    if not module._has_scope:
        return module.forward(*args, **kwargs)
    if _nn.is_under_glass():  # glass names the program's tensors itself
        _nn.scope(type(module).__name__, True)
        try:
            return module.forward(*args, **kwargs)
        finally:
            _nn.scope("", False)
    before = _names
    if before is None or id(module) not in before:
        _names = _names_below(module)
    try:
        with _nn.Scope(_names[id(module)]):
            for name, tensor in (*module._parameters.items(), *module._buffers.items()):
                if tensor is not None:
                    _nn.named(real_of(tensor), name)
            return module.forward(*args, **kwargs)
    finally:
        _names = before


def _names_below(root):
    """id(module) → "W_query", in a list "heads.0"; at the top the name of the class."""
    names = {id(root): root._get_name()}

    def visit(module, prefix):
        for key, child in module.named_children():
            names[id(child)] = prefix + key
            # A list is never called itself, so its children carry its name.
            visit(child, names[id(child)] + "." if child._is_list else "")

    visit(root, "")
    return names
