"""The classes of torch.nn."""

from glassgrad.nn.modules.activation import (
    CELU, ELU, GELU, GLU, SELU, Hardshrink, Hardsigmoid, Hardswish, Hardtanh, LeakyReLU, LogSigmoid, LogSoftmax, Mish,
    MultiheadAttention, PReLU, ReLU, ReLU6, Sigmoid, SiLU, Softmax, Softmin, Softplus, Softshrink, Softsign, Tanh,
    Tanhshrink, Threshold,
)
from glassgrad.nn.modules.batchnorm import BatchNorm1d, LazyBatchNorm1d
from glassgrad.nn.modules.container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from glassgrad.nn.modules.conv import Conv1d
from glassgrad.nn.modules.distance import CosineSimilarity, PairwiseDistance
from glassgrad.nn.modules.dropout import Dropout
from glassgrad.nn.modules.flatten import Flatten, Unflatten
from glassgrad.nn.modules.linear import Bilinear, Identity, LazyLinear, Linear
from glassgrad.nn.modules.loss import (
    BCELoss, BCEWithLogitsLoss, CosineEmbeddingLoss, CrossEntropyLoss, GaussianNLLLoss, HingeEmbeddingLoss, HuberLoss,
    KLDivLoss, L1Loss, MarginRankingLoss, MSELoss, NLLLoss, SmoothL1Loss, SoftMarginLoss, TripletMarginLoss,
)
from glassgrad.nn.modules.module import Module
from glassgrad.nn.modules.normalization import GroupNorm, LayerNorm, RMSNorm
from glassgrad.nn.modules.sparse import Embedding, EmbeddingBag
from glassgrad.nn.modules.transformer import (
    Transformer, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer,
)
