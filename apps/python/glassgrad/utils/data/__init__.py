"""Data sets and their batches (torch.utils.data), all in this process."""

from glassgrad._names import missing, public
from glassgrad.utils.data import _utils, dataloader, dataset, distributed, sampler
from glassgrad.utils.data.dataloader import DataLoader, default_collate, default_convert, get_worker_info
from glassgrad.utils.data.dataset import (
    ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset, TensorDataset, random_split,
)
from glassgrad.utils.data.distributed import DistributedSampler
from glassgrad.utils.data.sampler import (
    BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler,
)

__dir__ = public(globals())
__getattr__ = missing("torch.utils.data", globals())
