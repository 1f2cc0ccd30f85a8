"""Losses (torch.nn.modules.loss). reduction: "mean", "sum" or "none"."""

from glassgrad.nn.modules._rows import (
    BCELoss, BCEWithLogitsLoss, CosineEmbeddingLoss, CrossEntropyLoss, GaussianNLLLoss, HingeEmbeddingLoss, HuberLoss,
    KLDivLoss, L1Loss, MarginRankingLoss, MSELoss, NLLLoss, SmoothL1Loss, SoftMarginLoss, TripletMarginLoss, _Loss,
    _WeightedLoss,
)
