"""What is done to gradients and parameters as a whole (torch.nn.utils)."""

import importlib

from glassgrad._names import missing
from glassgrad.nn.utils import rnn
from glassgrad.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_
from glassgrad.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from glassgrad.nn.utils.init import skip_init

# Functions that few programs need, by their modules, which are imported on first access.
_LATER = {"weight_norm": "weight_norm", "remove_weight_norm": "weight_norm", "spectral_norm": "spectral_norm",
          "remove_spectral_norm": "spectral_norm"}
_other = missing("torch.nn.utils", globals(), below=("parametrizations", "parametrize"))


def __getattr__(name):
    if name not in _LATER:
        return _other(name)
    module = importlib.import_module(f"glassgrad.nn.utils.{_LATER[name]}")
    globals()[name] = getattr(module, name)  # the import has put the module there
    return globals()[name]
