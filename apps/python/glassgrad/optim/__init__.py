"""Optimizers and schedules of their learning rate (torch.optim)."""

from glassgrad._names import missing, present_as_torch, public
from glassgrad.optim import lr_scheduler
from glassgrad.optim.adam import Adam
from glassgrad.optim.adamw import AdamW
from glassgrad.optim.optimizer import Optimizer
from glassgrad.optim.sgd import SGD

present_as_torch(globals())
present_as_torch(vars(lr_scheduler))

__dir__ = public(globals())
__getattr__ = missing(
    "torch.optim",
    globals(),
    dict.fromkeys(
        ["Adadelta", "Adagrad", "Adamax", "ASGD", "LBFGS", "NAdam", "RAdam", "RMSprop", "Rprop", "SparseAdam"],
        "its optimizers are SGD, Adam and AdamW",
    ),
)
lr_scheduler.__getattr__ = missing(
    "torch.optim.lr_scheduler",
    vars(lr_scheduler),
    dict.fromkeys(
        ["ChainedScheduler", "ConstantLR", "CosineAnnealingWarmRestarts", "CyclicLR", "LinearLR", "MultiplicativeLR",
         "MultiStepLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR"],
        "its schedules are StepLR, ExponentialLR, CosineAnnealingLR and LambdaLR of any function",
    ),
)
