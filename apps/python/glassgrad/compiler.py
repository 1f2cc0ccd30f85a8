"""What programs tell the compiler (torch.compiler): there is none, functions and modules stay as they are."""

from glassgrad._names import missing as _missing
from glassgrad._state import compile


def is_compiling():
    """False."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def _itself(fn=None):
    return (lambda function: function) if fn is None else fn


def disable(fn=None, recursive=True):
    """The function itself."""
    return _itself(fn)


def allow_in_graph(fn):
    """The function itself."""
    return fn


assume_constant_result = wrap_numpy = allow_in_graph


def substitute_in_graph(original_fn, **options):
    """A decorator that changes nothing."""
    return _itself()


def reset():
    """Nothing: no compiled code is kept."""


def cudagraph_mark_step_begin():
    """Nothing."""


def list_backends(exclude_tags=("debug", "experimental")):
    """[]."""
    return []


class set_stance:
    """Nothing, from now on or as a `with` block or a decorator."""

    def __init__(self, stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
        if stance not in ("default", "eager_on_recompile", "fail_on_recompile", "force_eager"):
            raise RuntimeError(f"invalid torch.compile stance '{stance}'")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __call__(self, fn):
        return fn


__getattr__ = _missing("torch.compiler", globals())
