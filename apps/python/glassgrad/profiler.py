"""Measuring (torch.profiler): programs run through it unmeasured, and asking for the result says so."""

from glassgrad._names import missing as _missing

_OUT = "glassgrad keeps no profile: time.perf_counter() measures a part, `glassgrad train --profile` a training"


class ProfilerActivity:
    """What is measured elsewhere."""

    CPU, XPU, CUDA, MTIA = "CPU", "XPU", "CUDA", "MTIA"


class ProfilerAction:
    """What a schedule answers."""

    NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)


class record_function:
    """A `with` block that has a name."""

    def __init__(self, name, args=None):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def __call__(self, function):
        return function


class profile:
    """A `with` block; NotImplementedError for what it measured."""

    def __init__(self, *args, **kwargs):
        self.step_num = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def start(self):
        return None

    def stop(self):
        return None

    def step(self):
        """The next step begins."""
        self.step_num += 1

    def _out(self, *args, **kwargs):
        raise NotImplementedError(_OUT)

    key_averages = export_chrome_trace = export_stacks = events = total_average = table = _out


def schedule(*, wait, warmup, active, repeat=0, skip_first=0):
    """The actions of the steps."""
    return lambda step: ProfilerAction.NONE


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """Writes nothing."""
    return lambda profiler: None


__getattr__ = _missing("torch.profiler", globals())
