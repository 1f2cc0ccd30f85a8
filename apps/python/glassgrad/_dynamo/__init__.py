"""The front of PyTorch's compiler (torch._dynamo), as far as programs set or switch it off: there is none."""

from glassgrad._dynamo import config
from glassgrad._dynamo.eval_frame import OptimizedModule, compiled
from glassgrad._names import missing as _missing
from glassgrad.compiler import allow_in_graph, assume_constant_result, disable, is_compiling, list_backends, reset

_OUT = "compiled programs are out of glassgrad's scope"


def optimize(*args, **kwargs):
    """A decorator that changes nothing."""
    return lambda function: function


def graph_break():
    """Nothing."""


def mark_dynamic(t, index, *args, **kwargs):
    """Nothing: shapes are always dynamic."""


maybe_mark_dynamic = mark_static = mark_static_address = mark_dynamic
is_dynamo_supported = is_compiling
__getattr__ = _missing("torch._dynamo", globals(), dict.fromkeys(("explain", "export"), _OUT))
__name__ = "torch._dynamo"
