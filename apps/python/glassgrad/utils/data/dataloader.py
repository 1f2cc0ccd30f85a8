"""Batches of a data set (torch.utils.data.dataloader), all in this process."""

from collections.abc import Mapping

import glassgrad as torch
from glassgrad._names import missing as _missing
from glassgrad.utils.data.dataset import Dataset, IterableDataset
from glassgrad.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler


def default_convert(data):
    """An example as it is, its numpy arrays as tensors."""
    if type(data).__module__ == "numpy" and hasattr(data, "dtype") and data.dtype.kind in "biuf":
        return torch.as_tensor(data)
    if isinstance(data, Mapping):
        return {key: default_convert(part) for key, part in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, (tuple, list)):
        return [default_convert(part) for part in data]
    return data


def get_worker_info():
    """None, as in a process that is no worker: there are none."""
    return None


def default_collate(batch):
    """One example of batches out of a batch of examples: tensors are stacked, numbers become a tensor."""
    first = batch[0]
    if isinstance(first, torch.Tensor):
        return torch.stack(list(batch), 0)
    if isinstance(first, (bool, int)):
        return torch.tensor(batch)
    if isinstance(first, float):
        return torch.tensor(batch, dtype=torch.float64)
    if isinstance(first, (str, bytes)):
        return list(batch)
    if isinstance(first, Mapping):
        return {key: default_collate([example[key] for example in batch]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(default_collate, zip(*batch)))
    if isinstance(first, (tuple, list)):
        if any(len(example) != len(first) for example in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(parts) for parts in zip(*batch)]
    if type(first).__module__ == "numpy":
        return torch.stack([torch.as_tensor(example) for example in batch], 0)
    raise TypeError("default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
                    f"found {type(first)}")


class DataLoader:
    """Batches of a data set, in order or shuffled. num_workers and pin_memory change nothing here."""

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
                 multiprocessing_context=None, generator=None, *, prefetch_factor=None, persistent_workers=False,
                 pin_memory_device="", in_order=True):
        if num_workers < 0:
            raise ValueError(
                "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
            )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
        if isinstance(dataset, IterableDataset) and shuffle not in (False, None):
            raise ValueError(
                "DataLoader with IterableDataset: expected unspecified shuffle option, but got "
                f"shuffle={shuffle}"
            )
        if isinstance(dataset, IterableDataset) and sampler is not None:
            raise ValueError(
                "DataLoader with IterableDataset: expected unspecified sampler option, but got "
                f"sampler={sampler}"
            )
        in_batches = batch_size is not None or batch_sampler is not None
        self.dataset, self.num_workers, self.generator = dataset, num_workers, generator
        self.batch_size, self.drop_last = None if batch_sampler is not None else batch_size, drop_last
        self.pin_memory, self.timeout, self.worker_init_fn = pin_memory, timeout, worker_init_fn
        self.prefetch_factor, self.persistent_workers = prefetch_factor, persistent_workers
        self.multiprocessing_context = multiprocessing_context
        self.collate_fn = collate_fn or (default_collate if in_batches else default_convert)
        self.batch_sampler = batch_sampler
        if isinstance(dataset, IterableDataset):
            self.sampler = None
            return
        ordered = SequentialSampler if not shuffle else lambda data: RandomSampler(data, generator=generator)
        self.sampler = ordered(dataset) if sampler is None else sampler
        if batch_sampler is None and batch_size is not None:
            self.batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)

    def __iter__(self):
        torch.empty((), dtype=torch.int64).random_(generator=self.generator or torch.default_generator)  # for workers
        return self._batches()

    def _batches(self):
        if isinstance(self.dataset, IterableDataset):
            examples = iter(self.dataset)
            batches = examples if self.batch_size is None else BatchSampler(examples, self.batch_size, self.drop_last)
            yield from map(self.collate_fn, batches)
        elif self.batch_sampler is None:
            yield from (self.collate_fn(self.dataset[index]) for index in self.sampler)
        else:
            for indices in self.batch_sampler:
                yield self.collate_fn([self.dataset[index] for index in indices])

    def __len__(self):
        if isinstance(self.dataset, IterableDataset):
            if self.batch_size is None:
                return len(self.dataset)
            return len(BatchSampler(self.dataset, self.batch_size, self.drop_last))
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)


__getattr__ = _missing("torch.utils.data.dataloader", globals())
