"""Python's multiprocessing under PyTorch's name (torch.multiprocessing); tensors are sent as copies."""

import multiprocessing as _python
from multiprocessing import *  # noqa: F403
from multiprocessing import get_context

from glassgrad._names import missing as _missing


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """fn(0, *args), here and now. RuntimeError for more than one process."""
    if nprocs != 1:
        raise RuntimeError("glassgrad computes in one process: spawn with nprocs=1")
    fn(0, *args)


def get_all_sharing_strategies():
    """{'file_descriptor', 'file_system'}."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy():
    """'file_descriptor'."""
    return "file_descriptor"


def set_sharing_strategy(new_strategy):
    """Nothing: tensors are sent as copies."""
    assert new_strategy in get_all_sharing_strategies()


__getattr__ = _missing("torch.multiprocessing", globals())
