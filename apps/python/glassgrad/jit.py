"""What programs put around functions to have them compiled (torch.jit): here they stay as they are."""

import builtins as _python

from glassgrad._names import missing as _missing

_OUT = "compiled programs are out of glassgrad's scope: save the model's state_dict(), and build it again in Python"


def script(obj=None, *args, **kwargs):
    """The function or module itself."""
    return obj


def trace(func, example_inputs=None, *args, **kwargs):
    """The function or module itself."""
    return func


def _itself(fn=None, *args, **kwargs):
    return fn if callable(fn) else lambda function: function


ignore = unused = export = script_method = script_if_tracing = interface = _itself


def is_scripting():
    """False."""
    return False


def is_tracing():
    """False."""
    return False


def annotate(the_type, the_value):
    """The value."""
    return the_value


def isinstance(obj, target_type):
    """Python's isinstance."""
    return _python.isinstance(obj, target_type)


class Final:
    """The mark of an attribute that does not change."""

    def __class_getitem__(cls, kind):
        return kind


def _out(*args, **kwargs):
    raise NotImplementedError(_OUT)


save = load = freeze = optimize_for_inference = _out


class ScriptModule:
    """NotImplementedError: compiled programs are out of scope."""

    def __init__(self, *args, **kwargs):
        _out()


ScriptFunction = RecursiveScriptModule = ScriptModule
__getattr__ = _missing("torch.jit", globals())
