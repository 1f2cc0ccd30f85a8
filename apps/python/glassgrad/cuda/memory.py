"""The memory of GPUs (torch.cuda.memory): what tensors take of it, 0 where there is no GPU."""

import collections
import warnings

from glassgrad import _C
from glassgrad._names import missing as _missing

_gpus = _C._cuda


def _if_available(name, ask, instead=0):
    def asked(device=None):
        return ask(device) if _gpus.device_count() > 0 else instead

    asked.__name__ = asked.__qualname__ = name
    return asked


memory_allocated = _if_available("memory_allocated", _gpus.memory_allocated)
memory_reserved = _if_available("memory_reserved", _gpus.memory_allocated)
max_memory_allocated = _if_available("max_memory_allocated", _gpus.max_memory_allocated)
max_memory_reserved = _if_available("max_memory_reserved", _gpus.max_memory_allocated)
reset_peak_memory_stats = _if_available("reset_peak_memory_stats", _gpus.reset_peak_memory_stats, None)
memory_allocated.__doc__ = memory_reserved.__doc__ = "The bytes that tensors take on a GPU now."
max_memory_allocated.__doc__ = max_memory_reserved.__doc__ = "The most bytes that tensors have taken on a GPU."
reset_peak_memory_stats.__doc__ = "The most bytes are counted anew from now on."


def _renamed(name, function, warning):
    def old(device=None):
        warnings.warn(warning, FutureWarning, stacklevel=2)
        return function(device)

    old.__name__ = old.__qualname__ = name
    old.__doc__ = f"The old name of {function.__name__}."
    return old


memory_cached, max_memory_cached = (
    _renamed(old, new, f"`torch.cuda.{old}` has been renamed to `torch.cuda.{new.__name__}`")
    for old, new in (("memory_cached", memory_reserved), ("max_memory_cached", max_memory_reserved)))
reset_max_memory_allocated, reset_max_memory_cached = (
    _renamed(old, reset_peak_memory_stats, f"torch.cuda.{old} now calls torch.cuda.reset_peak_memory_stats, which "
             "resets /all/ peak memory stats.") for old in ("reset_max_memory_allocated", "reset_max_memory_cached"))


def memory_stats(device=None):
    """{"allocated_bytes.all.current": …, "….peak": …} and the same of reserved_bytes; empty where there is no GPU."""
    stats = collections.OrderedDict()
    if _gpus.device_count() > 0:
        for kind in "allocated_bytes", "reserved_bytes":
            stats[f"{kind}.all.current"] = memory_allocated(device)
            stats[f"{kind}.all.peak"] = max_memory_allocated(device)
    return stats


def memory_stats_as_nested_dict(device=None):
    """{"allocated_bytes": {"all": {"current": …, "peak": …}}} and so on; empty where there is no GPU."""
    nested = {}
    for name, value in memory_stats(device).items():
        kind, _, what = name.split(".")
        nested.setdefault(kind, {"all": {}})["all"][what] = value
    return nested


def reset_accumulated_memory_stats(device=None):
    """Nothing: no number is added up."""


def mem_get_info(device=None):
    """AssertionError or RuntimeError where there is no GPU, NotImplementedError on one."""
    _gpus.current_device()
    raise NotImplementedError("glassgrad does not ask what other programs take of a GPU: "
                              "they leave at most torch.cuda.get_device_properties(0).total_memory - "
                              "torch.cuda.memory_allocated()")


def set_per_process_memory_fraction(fraction, device=None):
    """AssertionError or RuntimeError where there is no GPU, NotImplementedError on one."""
    _gpus.current_device()
    raise NotImplementedError("glassgrad's tensors may take all of a GPU's memory")


def empty_cache():
    """Nothing."""


__getattr__ = _missing("torch.cuda.memory", globals())
