"""How far one distribution is from another (torch.distributions.kl)."""

from __future__ import annotations

import glassgrad as torch
from glassgrad._C import Tensor
from glassgrad.distributions.categorical import Categorical
from glassgrad.distributions.distribution import Distribution
from glassgrad.distributions.normal import Normal


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Σ or ∫ p·(log p − log q), of two normal distributions or two categorical ones."""
    if isinstance(p, Normal) and isinstance(q, Normal):
        ratio = (p.scale / q.scale).pow(2)
        return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())
    if isinstance(p, Categorical) and isinstance(q, Categorical):
        t = p.probs * (p.logits - q.logits)
        t[(q.probs == 0).expand_as(t)] = float("inf")
        t[(p.probs == 0).expand_as(t)] = 0
        return t.sum(-1)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )
