"""Settings of PyTorch's compiler (torch._dynamo.config). They change nothing: nothing is compiled."""

from contextlib import contextmanager as _contextmanager

from glassgrad._names import missing as _missing

suppress_errors = verbose = dynamic_shapes = assume_static_by_default = optimize_ddp = False
automatic_dynamic_shapes = capture_scalar_outputs = capture_dynamic_output_shape_ops = False
cache_size_limit, accumulated_cache_size_limit = 8, 256


def patch(*changes, **settings):
    """A `with` block or a decorator with these settings: by name, in a dict, or one name and its value."""
    return _patched(globals(), _named(changes, settings))


def _named(changes, settings):
    return settings | (dict([changes]) if len(changes) == 2 else dict(*changes))


@_contextmanager
def _patched(namespace, settings):
    before = {name: namespace.get(name) for name in settings}
    namespace.update(settings)
    try:
        yield
    finally:
        namespace.update(before)


__getattr__ = _missing("torch._dynamo.config", globals())
