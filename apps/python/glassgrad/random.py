"""Random numbers (torch.random)."""

from glassgrad._C import default_generator
from glassgrad._state import fork_rng, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
