"""Ranges for NVIDIA's profilers (torch.cuda.nvtx): there are none to mark here, as in PyTorch's builds without CUDA."""

from contextlib import contextmanager

from glassgrad._names import missing as _missing

__all__ = ["range_push", "range_pop", "range_start", "range_end", "mark", "range"]


def _refuse(*args, **kwargs):
    raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")


def range_push(msg):
    """RuntimeError."""
    _refuse()


def range_pop():
    """RuntimeError."""
    _refuse()


def range_start(msg):
    """RuntimeError."""
    _refuse()


def range_end(range_id):
    """RuntimeError."""
    _refuse()


def mark(msg):
    """RuntimeError."""
    _refuse()


@contextmanager
def range(msg, *args, **kwargs):
    """RuntimeError where the block begins."""
    range_push(msg.format(*args, **kwargs))
    yield


__getattr__ = _missing("torch.cuda.nvtx", globals())
