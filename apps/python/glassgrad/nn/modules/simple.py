"""Layers that are a function of torch.nn.functional with its arguments, and no more."""

from __future__ import annotations

import glassgrad as torch
from glassgrad._C import Parameter, Tensor
from glassgrad.nn import functional as F
from glassgrad.nn.modules.activation import _InPlace
from glassgrad.nn.modules.module import Module


def _layer(name, function, **settings):
    """A class of the name, whose forward is the function with its settings; {name: default}, as they print."""

    class Layer(Module):
        def __init__(self, *args, **kwargs):
            super().__init__()
            for key, value in {**settings, **dict(zip(settings, args)), **kwargs}.items():
                if key not in settings:
                    raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{key}'")
                setattr(self, key, value)
            if len(args) > len(settings):
                count = f"from 1 to {len(settings) + 1} positional arguments" if settings else "1 positional argument"
                raise TypeError(f"{name}.__init__() takes {count} but {len(args) + 1} were given")

        def forward(self, *inputs: Tensor) -> Tensor:
            return function(*inputs, **{key: getattr(self, key) for key in settings})

        def extra_repr(self) -> str:
            shown = [key for key in settings if key != "inplace" and "reduction" not in settings]
            alone = len(shown) == 1 and name in _BARE
            text = ", ".join(str(getattr(self, key)) if alone else f"{key}={getattr(self, key)}" for key in shown)
            return text + (", " * bool(text) + "inplace=True" if getattr(self, "inplace", False) else "")

    Layer.__name__ = Layer.__qualname__ = name
    Layer.__doc__ = function.__doc__
    return Layer


_BARE = {"Hardshrink", "Softshrink"}
SELU = _layer("SELU", F.selu, inplace=False)
CELU = _layer("CELU", F.celu, alpha=1.0, inplace=False)
ReLU6 = _layer("ReLU6", F.relu6, inplace=False)
Mish = _layer("Mish", F.mish, inplace=False)
Hardsigmoid = _layer("Hardsigmoid", F.hardsigmoid, inplace=False)
Hardswish = _layer("Hardswish", F.hardswish, inplace=False)
Hardtanh = _layer("Hardtanh", F.hardtanh, min_val=-1.0, max_val=1.0, inplace=False)
LogSigmoid = _layer("LogSigmoid", F.logsigmoid)
Softsign = _layer("Softsign", F.softsign)
Tanhshrink = _layer("Tanhshrink", F.tanhshrink)
Softmin = _layer("Softmin", F.softmin, dim=None)
GLU = _layer("GLU", F.glu, dim=-1)
Hardshrink = _layer("Hardshrink", F.hardshrink, lambd=0.5)
Softshrink = _layer("Softshrink", F.softshrink, lambd=0.5)
MarginRankingLoss = _layer("MarginRankingLoss", F.margin_ranking_loss, margin=0.0, reduction="mean")
CosineEmbeddingLoss = _layer("CosineEmbeddingLoss", F.cosine_embedding_loss, margin=0.0, reduction="mean")
HingeEmbeddingLoss = _layer("HingeEmbeddingLoss", F.hinge_embedding_loss, margin=1.0, reduction="mean")
SoftMarginLoss = _layer("SoftMarginLoss", F.soft_margin_loss, reduction="mean")


class Threshold(_InPlace):
    """input where it is greater than threshold, else value."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold, self.value = threshold, value

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")


class PReLU(Module):
    """x, times weight where it is negative: one weight, or one for each channel."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device=None, dtype=None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(torch.full((num_parameters,), float(init), device=device, dtype=dtype))

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class CosineSimilarity(Module):
    """The cosine of the angle between two tensors along dim."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norm of the difference of two tensors, along the last dimension."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class TripletMarginLoss(Module):
    """max(0, distance(anchor, positive) − distance(anchor, negative) + margin)."""

    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, size_average=None,
                 reduce=None, reduction: str = "mean") -> None:
        super().__init__()
        self.margin, self.p, self.eps, self.swap, self.reduction = margin, p, eps, swap, reduction

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(anchor, positive, negative, self.margin, self.p, self.eps, self.swap,
                                     reduction=self.reduction)


class GaussianNLLLoss(Module):
    """(log var + (input − target)²/var)/2."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__()
        self.full, self.eps, self.reduction = full, eps, reduction

    def forward(self, input: Tensor, target: Tensor, var: Tensor) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)
