"""The part of a data set that one of several processes takes (torch.utils.data.distributed)."""

import math

import glassgrad as torch
from glassgrad._names import missing as _missing
from glassgrad.utils.data.sampler import Sampler


class DistributedSampler(Sampler):
    """Every num_replicas-th number from rank on, shuffled by seed + epoch: all processes together take every example.

    Where the examples do not divide evenly some are taken twice, or with drop_last the last ones by nobody.
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        num_replicas = torch.distributed.get_world_size() if num_replicas is None else num_replicas
        rank = torch.distributed.get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank, self.epoch = dataset, num_replicas, rank, 0
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        if drop_last:
            self.num_samples = len(dataset) // num_replicas
        else:
            self.num_samples = math.ceil(len(dataset) / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self):
        order = list(range(len(self.dataset)))
        if self.shuffle:
            order = torch.randperm(len(order), generator=torch.Generator().manual_seed(self.seed + self.epoch)).tolist()
        if order and self.total_size > len(order):
            order *= math.ceil(self.total_size / len(order))
        return iter(order[self.rank:self.total_size:self.num_replicas])

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """The number of the epoch that comes: without it every epoch is shuffled alike."""
        self.epoch = epoch


__getattr__ = _missing("torch.utils.data.distributed", globals())
