"""Modules that share their work (torch.nn.parallel): with nobody, as there is one process on one device."""

from glassgrad._names import missing
from glassgrad.nn.parallel.data_parallel import DataParallel
from glassgrad.nn.parallel.distributed import DistributedDataParallel

__getattr__ = missing("torch.nn.parallel", globals())
