"""Settings of PyTorch's compiler (torch._inductor.config). They change nothing: nothing is compiled."""

from types import SimpleNamespace as _SimpleNamespace

from glassgrad._dynamo.config import _named, _patched
from glassgrad._names import missing as _missing

debug = max_autotune = max_autotune_gemm = coordinate_descent_tuning = coordinate_descent_check_all_directions = False
epilogue_fusion = shape_padding = pattern_matcher = True
fx_graph_cache = force_fuse_int_mm_with_mul = use_mixed_mm = freezing = False
triton = _SimpleNamespace(unique_kernel_names=False, cudagraphs=False, cudagraph_trees=True)
cpp = _SimpleNamespace(threads=-1, simdlen=None)


def patch(*changes, **settings):
    """A `with` block or a decorator with these settings: by name, in a dict, or one name and its value."""
    return _patched(globals(), _named(changes, settings))


__getattr__ = _missing("torch._inductor.config", globals())
