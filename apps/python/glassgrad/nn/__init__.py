"""Layers, models and what they are made of (torch.nn)."""

from glassgrad import _scope
from glassgrad._names import missing, present_as_torch, public
from glassgrad.nn import functional, init, modules, parallel, utils
from glassgrad.nn.modules import *
from glassgrad.nn.parallel import DataParallel
from glassgrad.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

for part in (vars(modules), vars(init), vars(parallel), vars(utils)):
    present_as_torch(part)
del part

__dir__ = public(globals())
__getattr__ = missing("torch.nn", globals(), _scope.NN)
init.__getattr__ = missing("torch.nn.init", vars(init))
