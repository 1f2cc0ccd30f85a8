"""Gradients (torch.autograd)."""

from glassgrad._autograd import (
    Function,
    backward,
    enable_grad,
    grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)
from glassgrad._names import missing, public
from glassgrad.autograd import anomaly_mode, function, graph
from glassgrad.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from glassgrad.autograd.variable import Variable

__dir__ = public(globals())
_missing = missing("torch.autograd", globals(), below=("functional", "gradcheck"))


def __getattr__(name):
    if name == "gradgradcheck":
        from glassgrad.autograd.gradcheck import gradgradcheck

        return gradgradcheck
    return _missing(name)
