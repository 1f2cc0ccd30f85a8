"""torch.autograd.detect_anomaly: where the first nan of a backward pass came from."""

import traceback
import warnings

from glassgrad import _C


def _here():
    """The place in the program that calls now, as a traceback shows it."""
    return "".join(traceback.format_stack()[:-1])


def _warn(node, place):
    told = f"Traceback of forward call that caused the error:\n{place}" if place else (
        "No forward pass information available. Enable detect anomaly during forward pass for more information."
    )
    warnings.warn(f"Error detected in {node}. {told}", stacklevel=3)


class set_detect_anomaly:
    """Looks for nan in every gradient from now on, or no longer; as a `with`, to the end of the block.

    RuntimeError `Function 'SqrtBackward0' returned nan values in its 0th output.`, and a warning that says where the
    program called that function going forward.
    """

    def __init__(self, mode, check_nan=True):
        self._before = _C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled()
        self._set(mode, check_nan)

    @staticmethod
    def _set(mode, check_nan):
        _C.detect_anomaly(mode, check_nan, _here, _warn)

    def __enter__(self):
        pass

    def __exit__(self, *error):
        self._set(*self._before)


class detect_anomaly(set_detect_anomaly):
    """set_detect_anomaly for a `with` block."""

    def __init__(self, check_nan=True):
        self._check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self):
        super().__init__(True, self._check_nan)


is_anomaly_enabled = _C.is_anomaly_enabled
is_anomaly_check_nan_enabled = _C.is_anomaly_check_nan_enabled
