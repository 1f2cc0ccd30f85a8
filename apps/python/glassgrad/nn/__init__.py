"""Layers, models and what they are made of (torch.nn)."""

from glassgrad._names import missing, present_as_torch, public
from glassgrad.nn import functional, init, modules, utils
from glassgrad.nn.modules import *
from glassgrad.nn.parameter import Parameter

for part in (vars(modules), vars(init), vars(utils)):
    present_as_torch(part)
del part

_ATTENTION = "build it from nn.Linear, @ and softmax, as the lessons do"
_RECURRENT = "there are no recurrent layers"
_CONVOLUTION = "there are no convolutions"
_NORM = "nn.LayerNorm is the norm there is"
__dir__ = public(globals())
__getattr__ = missing(
    "torch.nn",
    globals(),
    {
        "MultiheadAttention": _ATTENTION,
        **dict.fromkeys(
            ["Transformer", "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer",
             "TransformerDecoderLayer"],
            _ATTENTION + ", with nn.LayerNorm",
        ),
        **dict.fromkeys(["RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"], _RECURRENT),
        **dict.fromkeys(["Conv1d", "Conv2d", "Conv3d", "MaxPool1d", "MaxPool2d", "AvgPool2d"], _CONVOLUTION),
        **dict.fromkeys(["BatchNorm1d", "BatchNorm2d", "GroupNorm", "InstanceNorm1d", "RMSNorm"], _NORM),
    },
)
init.__getattr__ = missing("torch.nn.init", vars(init))
