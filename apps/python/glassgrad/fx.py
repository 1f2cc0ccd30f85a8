"""Programs that read and change programs (torch.fx): out of scope."""

from glassgrad._names import missing as _missing

_OUT = "torch.fx is out of glassgrad's scope: glassgrad.lesson, `why` and forward hooks show what a model computes"


class _Out:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError(_OUT)


class Graph(_Out):
    """NotImplementedError."""


class GraphModule(_Out):
    """NotImplementedError."""


class Tracer(_Out):
    """NotImplementedError."""


class Interpreter(_Out):
    """NotImplementedError."""


class Node(_Out):
    """NotImplementedError."""


def symbolic_trace(root, concrete_args=None):
    """NotImplementedError."""
    raise NotImplementedError(_OUT)


def wrap(fn_or_name):
    """The function itself."""
    return fn_or_name


__getattr__ = _missing("torch.fx", globals())
