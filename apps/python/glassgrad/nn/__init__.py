"""Layers, models and what they are made of (torch.nn)."""

from glassgrad._names import missing, present_as_torch
from glassgrad.nn import functional, init, modules, utils
from glassgrad.nn.modules import *
from glassgrad.nn.parameter import Parameter

for part in (vars(modules), vars(init), vars(utils)):
    present_as_torch(part)
del part

_ATTENTION = "build it from nn.Linear, @ and softmax, as the lessons do"
_RECURRENT = "there are no recurrent layers"
_CONVOLUTION = "there are no convolutions"
__getattr__ = missing(
    "torch.nn",
    globals(),
    {
        "MultiheadAttention": _ATTENTION,
        "TransformerEncoderLayer": _ATTENTION + ", with nn.LayerNorm",
        "LSTM": _RECURRENT,
        "GRU": _RECURRENT,
        "RNN": _RECURRENT,
        "Conv1d": _CONVOLUTION,
        "Conv2d": _CONVOLUTION,
        "BatchNorm1d": "nn.LayerNorm is the norm there is",
        "BatchNorm2d": "nn.LayerNorm is the norm there is",
        "RMSNorm": "nn.LayerNorm is the norm there is",
    },
)
