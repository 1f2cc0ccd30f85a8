"""Distributions: samples, densities, divergences (torch.distributions)."""

from glassgrad._names import missing, present_as_torch, public
from glassgrad.distributions import constraints
from glassgrad.distributions.bernoulli import Bernoulli
from glassgrad.distributions.categorical import Categorical
from glassgrad.distributions.distribution import Distribution
from glassgrad.distributions.kl import kl_divergence, register_kl
from glassgrad.distributions.multinomial import Multinomial
from glassgrad.distributions.normal import Normal
from glassgrad.distributions.uniform import Uniform

present_as_torch(globals())
_OTHERS = "its distributions are Normal, Uniform, Bernoulli, Categorical and Multinomial"
__dir__ = public(globals())
__getattr__ = missing("torch.distributions", globals(), dict.fromkeys(
    ["Beta", "Binomial", "Dirichlet", "Exponential", "Gamma", "Geometric", "Gumbel", "Laplace",
     "LogNormal", "MultivariateNormal", "Independent", "OneHotCategorical", "Poisson", "StudentT",
     "TransformedDistribution", "transforms"], _OTHERS))
