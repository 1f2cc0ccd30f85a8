"""Examples by number, or one after the other (torch.utils.data.dataset)."""

import bisect
import itertools
import math

import glassgrad as torch
from glassgrad._names import missing as _missing


class Dataset:
    """Examples by number: a subclass defines __getitem__ and, for a DataLoader, __len__."""

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])

    def __class_getitem__(cls, _):
        return cls


class IterableDataset(Dataset):
    """Examples one after the other: a subclass defines __iter__."""

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """Example i is the tuple of row i of each tensor."""

    def __init__(self, *tensors):
        assert all(tensors[0].size(0) == x.size(0) for x in tensors), "Size mismatch between tensors"
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(x[index] for x in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """Example i is the tuple of example i of each data set, or the dict of them where they are given by name."""

    def __init__(self, *args, **kwargs):
        if bool(args) == bool(kwargs):
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given." if args else "At least one dataset should be passed"
            )
        self.datasets = args or kwargs
        parts = list(args or kwargs.values())
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise ValueError("Size mismatch between datasets")

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: part[index] for name, part in self.datasets.items()}
        return tuple(part[index] for part in self.datasets)

    def __len__(self):
        return self._length


class ConcatDataset(Dataset):
    """The examples of several data sets, one set after the other."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        assert len(self.datasets) > 0, "datasets should not be an empty iterable"
        for part in self.datasets:
            assert not isinstance(part, IterableDataset), "ConcatDataset does not support IterableDataset"
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __getitem__(self, index):
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        at = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[at][index - (self.cumulative_sizes[at - 1] if at else 0)]

    def __len__(self):
        return self.cumulative_sizes[-1]


class ChainDataset(IterableDataset):
    """The examples of several iterable data sets, one set after the other."""

    def __init__(self, datasets):
        self.datasets = datasets

    def __iter__(self):
        for part in self.datasets:
            assert isinstance(part, IterableDataset), "ChainDataset only supports IterableDataset"
            yield from part

    def __len__(self):
        return sum(map(len, self.datasets))


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
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        shares, lengths = lengths, [math.floor(len(dataset) * share) for share in lengths]
        for i in range(len(dataset) - sum(lengths)):
            lengths[i % len(shares)] += 1
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = torch.randperm(len(dataset), generator=generator or torch.default_generator).tolist()
    return [Subset(dataset, order[end - length:end]) for end, length in zip(itertools.accumulate(lengths), lengths)]


__getattr__ = _missing("torch.utils.data.dataset", globals())
