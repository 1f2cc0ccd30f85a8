"""Streams and events (torch.cuda.streams): a GPU computes in one stream, the default one."""

import time

from glassgrad import _C, cuda


class _Dummy:
    """Refuses instances where there is no GPU, with PyTorch's error."""

    def __new__(cls, *args, **kwargs):
        if not cuda.is_available():
            raise RuntimeError(f"Tried to instantiate dummy base class {cls.__name__}")
        return super().__new__(cls)


def _index(device):
    if isinstance(device, int) and device >= 0:
        return device
    named = None if device is None else _C.device(device)
    return cuda.current_device() if named is None or named.index is None else named.index


class Stream(_Dummy):
    """The one stream of a GPU: all that is computed on it, in order."""

    def __init__(self, device=None, priority=0, **kwargs):
        self.device = _C.device("cuda", _index(device))
        self.stream_id = self.cuda_stream = 0

    def wait_event(self, event):
        """Nothing: what the event follows is done before."""

    def wait_stream(self, stream):
        """Nothing: there is one stream."""

    def record_event(self, event=None):
        """The event, a new one without, recorded now."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def synchronize(self):
        """Waits until the GPU has done all that was asked of it."""
        cuda.synchronize(self.device)

    def query(self):
        """True, after waiting for the GPU."""
        self.synchronize()
        return True

    def __eq__(self, other):
        return isinstance(other, Stream) and self.device == other.device

    def __hash__(self):
        return hash((Stream, str(self.device)))

    def __repr__(self):
        return f"<torch.cuda.Stream device={self.device} cuda_stream=0x0>"


class Event(_Dummy):
    """A point in time. record() waits for the GPU, so that elapsed_time has all that was computed in between."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self._timed, self._at, self.device = enable_timing, None, None

    def record(self, stream=None):
        """Notes the time at which the GPU has done all that was asked of it."""
        self.device = stream.device if stream is not None else _C.device("cuda", cuda.current_device())
        cuda.synchronize(self.device)
        self._at = time.perf_counter()

    def wait(self, stream=None):
        """Nothing: what the event follows is done."""

    def synchronize(self):
        """Nothing: what the event follows is done."""

    def query(self):
        """True."""
        return True

    def elapsed_time(self, end_event):
        """The milliseconds from this event to the other one."""
        if not (self._timed and end_event._timed):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        if self._at is None or end_event._at is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end_event._at - self._at) * 1e3

    def __repr__(self):
        return f"<torch.cuda.Event {'uninitialized' if self._at is None else self.device}>"


class CUDAGraph(_Dummy):
    """NotImplementedError on a GPU: nothing is captured."""

    def __init__(self):
        raise NotImplementedError("glassgrad captures no work of a GPU to replay it: call the function again")


class StreamContext:
    """A `with` block in which a stream computes: there is one, so nothing changes."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return None

    def __exit__(self, *error):
        return None


def stream(stream):
    """StreamContext(stream)."""
    return StreamContext(stream)


def current_stream(device=None):
    """The stream of a GPU. AssertionError or RuntimeError where there is none."""
    cuda.current_device()  # says what is missing
    return Stream(device)


default_stream = current_stream


def set_stream(stream):
    """Nothing: there is one stream."""


for _kind, _home in (Stream, ".streams"), (Event, ".streams"), (CUDAGraph, ".graphs"), (StreamContext, ""):
    _kind.__module__ = "torch.cuda" + _home
