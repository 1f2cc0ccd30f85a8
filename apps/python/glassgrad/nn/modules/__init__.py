"""The classes of torch.nn."""

from glassgrad.nn.modules.activation import (
    ELU, GELU, LeakyReLU, LogSoftmax, MultiheadAttention, ReLU, Sigmoid, SiLU, Softmax, Softplus, Tanh,
)
from glassgrad.nn.modules.batchnorm import BatchNorm1d, LazyBatchNorm1d
from glassgrad.nn.modules.container import ModuleDict, ModuleList, ParameterList, Sequential
from glassgrad.nn.modules.conv import Conv1d
from glassgrad.nn.modules.dropout import Dropout
from glassgrad.nn.modules.flatten import Flatten, Unflatten
from glassgrad.nn.modules.linear import Identity, LazyLinear, Linear
from glassgrad.nn.modules.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from glassgrad.nn.modules.module import Module
from glassgrad.nn.modules.normalization import GroupNorm, LayerNorm, RMSNorm
from glassgrad.nn.modules.simple import (
    CELU, GLU, SELU, CosineEmbeddingLoss, CosineSimilarity, GaussianNLLLoss, Hardshrink, Hardsigmoid, Hardswish,
    Hardtanh, HingeEmbeddingLoss, LogSigmoid, MarginRankingLoss, Mish, PairwiseDistance, PReLU, ReLU6, SoftMarginLoss,
    Softmin, Softshrink, Softsign, Tanhshrink, Threshold, TripletMarginLoss,
)
from glassgrad.nn.modules.sparse import Embedding
from glassgrad.nn.modules.transformer import (
    Transformer, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer,
)
