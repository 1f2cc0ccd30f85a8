"""Optimizers and schedules of their learning rate (torch.optim)."""

from glassgrad._names import missing, present_as_torch, public
from glassgrad.optim import lr_scheduler, schedules
from glassgrad.optim.adadelta import Adadelta
from glassgrad.optim.adagrad import Adagrad
from glassgrad.optim.adam import Adam
from glassgrad.optim.adamw import AdamW
from glassgrad.optim.optimizer import Optimizer
from glassgrad.optim.rmsprop import RMSprop
from glassgrad.optim.sgd import SGD

present_as_torch(globals())
for kind in schedules.ALL:
    kind.__module__ = lr_scheduler.__name__
    setattr(lr_scheduler, kind.__name__, kind)
del kind, schedules
present_as_torch(vars(lr_scheduler))

_LATER = {"Adamax": "adamax", "LBFGS": "lbfgs", "NAdam": "nadam", "RAdam": "radam"}  # imported on first access
__dir__ = public(globals(), _LATER)
__getattr__ = missing(
    "torch.optim",
    globals(),
    dict.fromkeys(
        ["Adafactor", "ASGD", "Rprop", "SparseAdam"],
        "its optimizers are SGD, Adam, AdamW, Adamax, NAdam, RAdam, RMSprop, Adagrad, Adadelta and LBFGS",
    ),
    inside=_LATER,
)
lr_scheduler.__getattr__ = missing("torch.optim.lr_scheduler", vars(lr_scheduler))
