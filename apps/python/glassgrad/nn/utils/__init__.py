"""What is done to gradients and parameters as a whole (torch.nn.utils)."""

from glassgrad._names import missing
from glassgrad.nn.utils import rnn
from glassgrad.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_
from glassgrad.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from glassgrad.nn.utils.init import skip_init

__getattr__ = missing("torch.nn.utils", globals())
