"""Distributions: samples, densities, divergences (torch.distributions)."""

from glassgrad._names import missing, present_as_torch, public
from glassgrad.distributions.categorical import Categorical
from glassgrad.distributions.distribution import Distribution
from glassgrad.distributions.kl import kl_divergence
from glassgrad.distributions.normal import Normal

present_as_torch(globals())
_OTHERS = "its distributions are Normal and Categorical"
__dir__ = public(globals())
__getattr__ = missing("torch.distributions", globals(), dict.fromkeys(
    ["Bernoulli", "Beta", "Binomial", "Dirichlet", "Exponential", "Gamma", "Geometric", "Gumbel", "Laplace",
     "LogNormal", "Multinomial", "MultivariateNormal", "Independent", "OneHotCategorical", "Poisson", "StudentT",
     "Uniform", "TransformedDistribution", "transforms", "constraints"], _OTHERS))
