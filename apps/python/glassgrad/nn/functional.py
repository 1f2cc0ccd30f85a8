"""Functions of layers that hold no parameters (torch.nn.functional)."""

from glassgrad import _C, _scope
from glassgrad._names import missing as _missing

globals().update({name: value for name, value in vars(_C.F).items() if not name.startswith("_")})
from glassgrad.nn._functions import (
    batch_norm, bilinear, gaussian_nll_loss, gumbel_softmax, hardshrink, hinge_embedding_loss,
    margin_ranking_loss, poisson_nll_loss, soft_margin_loss, softshrink, triplet_margin_loss,
)
from glassgrad.nn._embedding import embedding, embedding_bag

__getattr__ = _missing("torch.nn.functional", globals(), _scope.FUNCTIONAL)
