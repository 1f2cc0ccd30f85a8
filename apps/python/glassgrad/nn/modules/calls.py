"""Calls of modules that somebody looks at: hooks, or a trace."""

from glassgrad._autograd import real_of
from glassgrad._C import _nn
from glassgrad.nn.modules import gradients

_names = None  # id(module) → its name in the trace of the current call


def with_hooks(module, args, kwargs):
    """module(*args, **kwargs) between the hooks that were registered before and after it."""
    for hook, with_kwargs in list(module._forward_pre_hooks.values()):
        changed = hook(module, args, kwargs) if with_kwargs else hook(module, args)
        if with_kwargs and changed is not None:
            args, kwargs = changed
        elif changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    around = gradients.Call(module) if module._backward_hooks or module._backward_pre_hooks else None
    if around:
        args = around.inputs(args)
    result = watched(module, args, kwargs) if _nn.watching() else module.forward(*args, **kwargs)
    for hook, with_kwargs in list(module._forward_hooks.values()):
        changed = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
        if changed is not None:
            result = changed
    return around.outputs(result) if around else result


def watched(module, args, kwargs):
    """In a trace the module's ops stand in a scope of its name, which begins by naming its parameters and buffers."""
    global _names
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
