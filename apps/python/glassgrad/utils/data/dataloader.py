"""Batches of a data set (torch.utils.data.dataloader), all in this process."""

import itertools

import glassgrad as torch
from glassgrad._names import missing as _missing
from glassgrad.utils.data._utils.collate import default_collate, default_convert
from glassgrad.utils.data.dataset import Dataset, IterableDataset
from glassgrad.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

_worker_info = None  # of the worker that computes now


def get_worker_info():
    """The WorkerInfo of the worker that runs this: id, num_workers, seed, dataset. None outside of workers."""
    return _worker_info


class _InfiniteConstantSampler(Sampler):
    """None without end: how many examples an iterable data set has shows only at its end."""

    def __init__(self):
        super().__init__()

    def __iter__(self):
        return itertools.repeat(None)


class _MapFetcher:
    is_iterable = False

    def __init__(self, dataset, in_batches, collate_fn, drop_last):
        self.dataset, self.in_batches, self.collate_fn = dataset, in_batches, collate_fn

    def fetch(self, index):
        if not self.in_batches:
            return self.collate_fn(self.dataset[index])
        if hasattr(self.dataset, "__getitems__") and self.dataset.__getitems__:
            return self.collate_fn(self.dataset.__getitems__(index))
        return self.collate_fn([self.dataset[i] for i in index])


class _IterableFetcher:
    is_iterable = True

    def __init__(self, dataset, in_batches, collate_fn, drop_last):
        self.examples, self.in_batches, self.collate_fn = iter(dataset), in_batches, collate_fn
        self.drop_last, self.ended = drop_last, False

    def fetch(self, index):
        """StopIteration at the end."""
        if self.ended:
            raise StopIteration
        if not self.in_batches:
            return self.collate_fn(next(self.examples))
        batch = list(itertools.islice(self.examples, len(index)))
        self.ended = len(batch) < len(index)
        if not batch or (self.drop_last and self.ended):
            raise StopIteration
        return self.collate_fn(batch)


class _LoaderIter:
    """The batches of one pass. It draws the seed of workers, also where there are none."""

    def __init__(self, loader):
        self.loader, self.indices = loader, iter(loader._index_sampler)
        generator = loader.generator or torch.default_generator
        self._base_seed = torch.empty((), dtype=torch.int64).random_(generator=generator).item()

    def __iter__(self):
        return self

    def __len__(self):
        return len(self.loader._index_sampler)


class _SingleProcessDataLoaderIter(_LoaderIter):
    def __init__(self, loader):
        super().__init__(loader)
        assert loader.timeout == 0
        self.fetcher = loader._make_fetcher(loader.dataset)

    def __next__(self):
        return self.fetcher.fetch(next(self.indices))


class _MultiProcessingDataLoaderIter(_LoaderIter):
    """Batch i is of worker i mod num_workers, among the workers that have not ended.

    Indices are taken from the sampler as early as with PyTorch's workers, prefetch_factor for each, for a generator
    that the program shares with the sampler.
    """

    def __init__(self, loader):
        super().__init__(loader)
        from glassgrad.utils.data._utils import worker

        self.of_worker = worker
        count, fetcher = loader.num_workers, loader._make_fetcher
        self.workers = [worker.Worker(i, loader, self._base_seed, fetcher) for i in range(count)]
        self._begin()

    def restart(self):
        """Another pass by the same workers."""
        self.indices = iter(self.loader._index_sampler)
        for worker in self.workers:
            worker.restart()
        self._begin()
        return self

    def _begin(self):
        self.turn, self.tasks = itertools.cycle(self.workers), []
        for _ in range(self.loader.prefetch_factor * len(self.workers)):
            self._give()

    def _give(self):
        """Hands the next indices to the next worker that has not ended."""
        for index in itertools.islice(self.indices, 1):
            worker = next((w for w in itertools.islice(self.turn, len(self.workers)) if not w.ended), None)
            if worker is not None:
                self.tasks.append((worker, index))

    def __next__(self):
        while self.tasks:
            worker, index = self.tasks.pop(0)
            if worker.ended:
                continue
            batch = worker.batch(index)
            self._give()
            if isinstance(batch, self.of_worker.Caught):
                batch.reraise()
            if batch is not self.of_worker.ENDED:
                return batch
        raise StopIteration


_FIXED = {"batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"}


class DataLoader:
    """Batches of a data set, in order or shuffled. Each of num_workers has a copy of the data set and random numbers
    of its own, as a process has, and computes in turn in this process; what pins memory changes nothing.
    """

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
                 multiprocessing_context=None, generator=None, *, prefetch_factor=None, persistent_workers=False,
                 pin_memory_device="", in_order=True):
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        is_iterable = isinstance(dataset, IterableDataset)
        if is_iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            sampler = (_InfiniteConstantSampler() if is_iterable else
                       RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset))
        if batch_sampler is None and batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.num_workers, self.generator = dataset, num_workers, generator
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.pin_memory, self.timeout, self.worker_init_fn = pin_memory, timeout, worker_init_fn
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.persistent_workers, self.multiprocessing_context = persistent_workers, multiprocessing_context
        self.in_order, self._iterator = in_order, None
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self._is_made = True

    def __setattr__(self, name, value):
        if name in _FIXED and "_is_made" in self.__dict__:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def _make_fetcher(self, dataset):
        kind = _IterableFetcher if isinstance(dataset, IterableDataset) else _MapFetcher
        return kind(dataset, self.batch_sampler is not None, self.collate_fn, self.drop_last)

    @property
    def _index_sampler(self):
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self):
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        if not self.persistent_workers:
            return _MultiProcessingDataLoaderIter(self)
        if self._iterator is not None:
            return self._iterator.restart()
        self._iterator = _MultiProcessingDataLoaderIter(self)
        return self._iterator

    def __len__(self):
        if isinstance(self.dataset, IterableDataset):
            length = len(self.dataset)
            if self.batch_size is None:
                return length
            return length // self.batch_size if self.drop_last else -(-length // self.batch_size)
        return len(self._index_sampler)


def _check_workers(num_workers, timeout, prefetch_factor, persistent_workers):
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if num_workers > 0 and prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_iterable(shuffle, sampler, batch_sampler):
    if shuffle not in (False, None):
        raise ValueError(
            f"DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle={shuffle}"
        )
    for name, given in ("sampler", sampler), ("batch_sampler", batch_sampler):
        if given is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={given}"
            )


__getattr__ = _missing("torch.utils.data.dataloader", globals())
