"""Data sets and their batches (torch.utils.data), all in this process."""
import math
from collections.abc import Mapping

from glassgrad._names import missing as _missing


class Dataset:
    """Examples by number: a subclass defines __getitem__ and, for a DataLoader, __len__."""

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __class_getitem__(cls, _):
        return cls


class IterableDataset(Dataset):
    """Examples one after the other: a subclass defines __iter__."""


class TensorDataset(Dataset):
    """Example i is the tuple of row i of each tensor."""

    def __init__(self, *tensors):
        assert all(tensors[0].size(0) == x.size(0) for x in tensors), "Size mismatch between tensors"
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(x[index] for x in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)


class Subset(Dataset):
    """The examples of a data set at the given numbers."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    """Subsets of these lengths, or of these shares that add up to 1, drawn without overlap."""
    import glassgrad as torch
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        shares, lengths = lengths, [math.floor(len(dataset) * share) for share in lengths]
        for i in range(len(dataset) - sum(lengths)):
            lengths[i % len(shares)] += 1
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = torch.randperm(len(dataset), generator=generator or torch.default_generator).tolist()
    ends = [sum(lengths[:i + 1]) for i in range(len(lengths))]
    return [Subset(dataset, order[end - length:end]) for end, length in zip(ends, lengths)]


class Sampler:
    """Numbers of examples, in the order in which they are taken."""

    def __init__(self, data_source=None):
        self.data_source = data_source

    def __len__(self):
        return len(self.data_source)


class SequentialSampler(Sampler):
    def __iter__(self):
        return iter(range(len(self.data_source)))


class RandomSampler(Sampler):
    """A permutation, from a generator that is seeded by one draw of the default generator where none is given."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        super().__init__(data_source)
        if replacement:
            raise NotImplementedError("glassgrad's RandomSampler draws without replacement")
        if not isinstance(len(data_source), int) or (num_samples or len(data_source)) <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={len(data_source)}")
        self.num_samples, self.generator = num_samples or len(data_source), generator

    def __iter__(self):
        import glassgrad as torch
        n, generator = len(self.data_source), self.generator
        if generator is None:
            generator = torch.Generator()
            generator.manual_seed(torch.empty((), dtype=torch.int64).random_().item())
        for _ in range(self.num_samples // n):
            yield from torch.randperm(n, generator=generator).tolist()
        yield from torch.randperm(n, generator=generator).tolist()[:self.num_samples % n]  # drawn even if none is left

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    def __init__(self, sampler, batch_size, drop_last):
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        return len(self.sampler) // self.batch_size if self.drop_last else -(-len(self.sampler) // self.batch_size)


def default_collate(batch):
    """One example of batches out of a batch of examples: tensors are stacked, numbers become a tensor."""
    import glassgrad as torch
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
                 multiprocessing_context=None, generator=None, **others):
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.num_workers, self.pin_memory, self.generator = num_workers, pin_memory, generator
        self.collate_fn = collate_fn or (default_collate if batch_size is not None or batch_sampler else lambda x: x)
        if isinstance(dataset, IterableDataset):
            self.sampler = self.batch_sampler = None
            return
        in_order = SequentialSampler if not shuffle else lambda data: RandomSampler(data, generator=generator)
        self.sampler = in_order(dataset) if sampler is None else sampler
        self.batch_sampler = batch_sampler
        if batch_sampler is None and batch_size is not None:
            self.batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)

    def __iter__(self):
        import glassgrad as torch
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
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)


__getattr__ = _missing("torch.utils.data", globals())
