"""What is computed with (torch.backends)."""

from contextlib import contextmanager as _contextmanager

from glassgrad._devices import _module, _no, _none
from glassgrad._names import missing as _missing
from glassgrad.backends import cuda


@_contextmanager
def _flags(enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True):
    """A `with` block with these settings."""
    given = dict(enabled=enabled, benchmark=benchmark, benchmark_limit=benchmark_limit, deterministic=deterministic,
                 allow_tf32=allow_tf32)
    before = {name: getattr(cudnn, name) for name in given}
    vars(cudnn).update(given)
    try:
        yield
    finally:
        vars(cudnn).update(before)


_fast_paths = {"mha": True}
mps = _module("backends.mps", "There is none.", is_available=_no, is_built=_no, is_macos13_or_newer=_no,
              is_macos_or_newer=_no)
cudnn = _module("backends.cudnn", "There is none: its settings change nothing.", is_available=_no, version=_none,
                is_acceptable=_no, enabled=True, deterministic=False, benchmark=False, benchmark_limit=None,
                allow_tf32=True, flags=_flags)
mkl = _module("backends.mkl", "There is none.", is_available=_no)
mkldnn = _module("backends.mkldnn", "There is none.", is_available=_no, enabled=True, deterministic=False)
openmp = _module("backends.openmp", "There is none.", is_available=_no)
opt_einsum = _module("backends.opt_einsum", "There is none: einsum multiplies from left to right.", is_available=_no,
                     enabled=False, strategy=None)
mha = _module("backends.mha", "One way through the layers of attention, whatever is set.",
              get_fastpath_enabled=lambda: _fast_paths["mha"],
              set_fastpath_enabled=lambda value: _fast_paths.update(mha=value))
__getattr__ = _missing("torch.backends", globals())
