"""Optimizers and schedules of their learning rate (torch.optim)."""

from glassgrad._names import missing, present_as_torch
from glassgrad.optim import lr_scheduler
from glassgrad.optim.adam import Adam
from glassgrad.optim.adamw import AdamW
from glassgrad.optim.optimizer import Optimizer
from glassgrad.optim.sgd import SGD

present_as_torch(globals())
present_as_torch(vars(lr_scheduler))

__getattr__ = missing("torch.optim", globals())
lr_scheduler.__getattr__ = missing("torch.optim.lr_scheduler", vars(lr_scheduler))
