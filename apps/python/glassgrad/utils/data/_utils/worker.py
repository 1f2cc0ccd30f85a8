"""What a DataLoader's workers compute, one after the other in this process (torch.utils.data._utils.worker).

A worker of PyTorch's is a process: it has a copy of the data set and random numbers of its own. Here a worker gets
both, and computes its batches when their turn comes, so a program gets what PyTorch's workers give it.
"""

import copy
import random
import sys
import traceback

import glassgrad as torch
from glassgrad._names import missing
from glassgrad.utils.data import dataloader
from glassgrad.utils.data.dataloader import get_worker_info
from glassgrad.utils.data.dataset import Dataset


class WorkerInfo:
    """Which worker computes: id, num_workers, seed, and its copy of the dataset."""

    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)

    def __setattr__(self, name, value):
        raise RuntimeError(f"Cannot assign attributes to {type(self).__name__} objects")

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in vars(self).items())})"


def _own_copy(dataset, memo):
    """A worker's copy: of the data sets in it and their lists and dicts; what these hold is shared."""
    if id(dataset) in memo:
        return memo[id(dataset)]
    try:
        made = memo[id(dataset)] = copy.copy(dataset)
    except Exception:  # a class that refuses to be copied is shared
        return dataset
    if isinstance(dataset, Dataset) and hasattr(made, "__dict__"):
        for name, value in vars(made).items():
            if isinstance(value, Dataset):
                made.__dict__[name] = _own_copy(value, memo)
            elif type(value) in (list, tuple) and any(isinstance(part, Dataset) for part in value):
                made.__dict__[name] = type(value)(
                    _own_copy(part, memo) if isinstance(part, Dataset) else part for part in value
                )
            elif type(value) in (list, dict, set):
                made.__dict__[name] = value.copy()
    return made


class _RandomState:
    """The random numbers of PyTorch, of Python and, where it is imported, of numpy."""

    def read(self):
        numpy = sys.modules.get("numpy.random")
        self.torch, self.python = torch.get_rng_state(), random.getstate()
        self.numpy = numpy.get_state() if numpy else None
        return self

    def write(self):
        torch.set_rng_state(self.torch)
        random.setstate(self.python)
        if self.numpy is not None:
            sys.modules["numpy.random"].set_state(self.numpy)


def _seed(seed, base_seed, worker_id):
    torch.manual_seed(seed)
    random.seed(seed)
    numpy = sys.modules.get("numpy.random")
    if numpy:
        words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
        numpy.seed(numpy.SeedSequence(words).generate_state(4))


class Caught:
    """The exception that a worker stopped with, to be raised again where its batch is taken."""

    def __init__(self, error, where):
        self.kind = type(error)
        self.text = f"Caught {self.kind.__name__} {where}.\nOriginal {traceback.format_exc()}"

    def reraise(self):
        if self.kind is KeyError:
            raise KeyError(_AsItIs(self.text)) from None
        try:
            error = self.kind(self.text)
        except Exception:  # a kind that wants other arguments
            raise RuntimeError(self.text) from None
        raise error from None


class _AsItIs(str):
    """A KeyError shows the repr of its key: this text has lines."""

    def __repr__(self):
        return str(self)


ENDED = object()  # instead of a batch: the worker's iterable data set has no more


class Worker:
    """Worker number worker_id of a loader: batch(index) computes one batch as it would."""

    def __init__(self, worker_id, loader, base_seed, make_fetcher):
        self.id, self.make_fetcher, self.ended = worker_id, make_fetcher, False
        self.dataset = _own_copy(loader.dataset, {})
        self.info = WorkerInfo(id=worker_id, num_workers=loader.num_workers, seed=base_seed + worker_id,
                               dataset=self.dataset)
        self.random, self.failed = _RandomState(), None
        outside = _RandomState().read()
        try:
            _seed(base_seed + worker_id, base_seed, worker_id)
            if loader.worker_init_fn is not None:
                self._inside(loader.worker_init_fn, worker_id)
            self.fetcher = self._inside(make_fetcher, self.dataset)
        except Exception as error:
            self.failed = Caught(error, f"in DataLoader worker process {worker_id}")
        finally:
            self.random.read()
            outside.write()

    def _inside(self, function, *args):
        before, dataloader._worker_info = dataloader._worker_info, self.info
        try:
            return function(*args)
        finally:
            dataloader._worker_info = before

    def restart(self):
        """Begins the data set anew, with the random numbers where they are."""
        self.ended = False
        self._with_random(lambda: setattr(self, "fetcher", self.make_fetcher(self.dataset)))

    def _with_random(self, function, *args):
        outside = _RandomState().read()
        self.random.write()
        try:
            return self._inside(function, *args)
        finally:
            self.random.read()
            outside.write()

    def batch(self, index):
        """The batch, ENDED, or what it Caught."""
        if self.failed is not None:
            failed, self.failed = self.failed, None
            return failed
        try:
            return self._with_random(self.fetcher.fetch, index)
        except StopIteration as error:
            if self.fetcher.is_iterable:
                self.ended = True
                return ENDED
            return Caught(error, f"in DataLoader worker process {self.id}")
        except Exception as error:
            return Caught(error, f"in DataLoader worker process {self.id}")


__getattr__ = missing("torch.utils.data._utils.worker", globals())
