"""How far one distribution is from another (torch.distributions.kl)."""

from __future__ import annotations

import math
from typing import Callable

import glassgrad as torch
import glassgrad.nn.functional as F
from glassgrad._C import Tensor
from glassgrad.distributions.bernoulli import Bernoulli
from glassgrad.distributions.categorical import Categorical
from glassgrad.distributions.distribution import Distribution
from glassgrad.distributions.normal import Normal
from glassgrad.distributions.uniform import Uniform

_FORMULAS: dict[tuple[type, type], Callable] = {}


def register_kl(type_p: type, type_q: type) -> Callable:
    """Decorates the function of (p, q) that kl_divergence calls for these classes and those derived from them."""
    for name, kind in ("type_p", type_p), ("type_q", type_q):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def keep(function):
        _FORMULAS[type_p, type_q] = function
        return function

    return keep


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Σ or ∫ p·(log p − log q), of two distributions of one kind, and of a uniform and a normal one."""
    for kind_p in type(p).__mro__:
        for kind_q in type(q).__mro__:
            if (kind_p, kind_q) in _FORMULAS:
                return _FORMULAS[kind_p, kind_q](p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


@register_kl(Normal, Normal)
def _normals(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Categorical, Categorical)
def _categoricals(p, q):
    t = p.probs * (p.logits - q.logits)
    t[(q.probs == 0).expand_as(t)] = math.inf
    t[(p.probs == 0).expand_as(t)] = 0
    return t.sum(-1)


@register_kl(Bernoulli, Bernoulli)
def _bernoullis(p, q):
    ones = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    ones = ones.masked_fill(q.probs == 0, math.inf).masked_fill(p.probs == 0, 0)
    zeros = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    return ones + zeros.masked_fill(q.probs == 1, math.inf).masked_fill(p.probs == 1, 0)


@register_kl(Uniform, Uniform)
def _uniforms(p, q):
    ratio = ((q.high - q.low) / (p.high - p.low)).log()
    return ratio.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


@register_kl(Uniform, Normal)
def _uniform_from_normal(p, q):
    width = p.high - p.low
    squares = width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return (math.sqrt(math.pi * 2) * q.scale / width).log() + 0.5 * squares / q.scale.pow(2)


@register_kl(Normal, Uniform)
def _normal_from_uniform(p, q):
    return torch.full_like(p.loc, math.inf)
