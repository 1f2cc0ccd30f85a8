"""Settings of the whole process, random state, and what is known of dtypes."""

import warnings as _warnings
from contextlib import contextmanager as _contextmanager

from glassgrad import _C
from glassgrad._C import Tensor, default_generator, dtype
from glassgrad._names import typename as _typename


# ---- values from Python
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new tensor of these numbers: a number, nested lists or tuples, numpy's arrays.

    Floats give float32, integers int64, bools bool, complex numbers complex64.
    """
    if dtype is not None and not _C.is_dtype(dtype):
        if getattr(dtype, "is_complex", False) and not isinstance(data, Tensor):
            return _new_complex(data, dtype.real, device, requires_grad)
        raise TypeError(f"tensor(): argument 'dtype' must be torch.dtype, not {type(dtype).__name__}")
    if isinstance(data, Tensor):
        _warn_of_copy()
    try:
        made = _C.tensor(data, dtype)
    except RuntimeError as error:
        if dtype is not None or str(error) != "Could not infer dtype of complex":
            raise
        return _new_complex(data, _C.get_default_dtype(), device, requires_grad)
    return _new(made, device, requires_grad)


def _new_complex(data, real, device, requires_grad):
    from glassgrad._complex import ComplexTensor

    def pairs(x):
        return [pairs(item) for item in x] if isinstance(x, (list, tuple)) else [complex(x).real, complex(x).imag]

    made = _C.tensor(pairs(data), real)
    made = made if made.numel() else made.view(*made.shape, 2)
    return ComplexTensor(_new(made, device, requires_grad))


def _warn_of_copy():
    import warnings

    warnings.warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.clone().detach() or "
        "sourceTensor.clone().detach().requires_grad_(True), rather than torch.tensor(sourceTensor).",
        stacklevel=3,
    )


def _new(x, device, requires_grad):
    if device is not None:
        x = _C.placed(x, device)
    if requires_grad and not x.is_floating_point():
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return x.requires_grad_() if requires_grad else x


def as_tensor(data, dtype=None, device=None):
    """The numbers as a tensor, without a copy of a tensor or an array that has the dtype already."""
    if isinstance(data, Tensor):
        return data.to(device, dtype)
    if _C.is_numpy_array(data) and dtype is None:
        return _C.placed(_C.from_numpy(data), device)
    return _C.placed(_C.tensor(data, dtype), device)


def _buffer_code(dtype):
    """The dtype's code in memoryview; None for bfloat16, which has none."""
    if dtype in (_C.bool, _C.bfloat16):
        return "?" if dtype == _C.bool else None
    code = dict(zip((1, 2, 4, 8), " efd" if dtype.is_floating_point else "bhiq"))[dtype.itemsize]
    return code if dtype.is_signed else code.upper()


def _is_buffer(obj):
    if isinstance(obj, Tensor) or _C.is_numpy_array(obj) or hasattr(obj, "__array__"):
        return False
    try:
        memoryview(obj)
    except TypeError:
        return False
    return True


def _from_buffer(obj, dtype):
    view, size = memoryview(obj).cast("B"), dtype.itemsize
    if not len(view):
        raise ValueError("both buffer length (0) and count (-1) must not be 0")
    if len(view) % size:
        raise ValueError(f"buffer length ({len(view)} bytes) after offset (0 bytes) must be a multiple of element size "
                         f"({size})")
    code = _buffer_code(dtype)
    if code is None:
        raise NotImplementedError(f"glassgrad reads no {dtype} from a buffer")
    return _C.tensor(view.cast(code).tolist(), dtype)


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """as_tensor; copy: with memory of its own or never. It stays in the graph only with requires_grad.

    Of bytes, a bytearray and other buffers their bits as numbers of dtype, float32 unless given, in memory of its own.
    """
    if _is_buffer(obj):
        return _new(_from_buffer(obj, dtype or _C.get_default_dtype()), device, requires_grad)
    x = as_tensor(obj, dtype, device)
    shares = x is obj or (dtype is None and _C.is_numpy_array(obj))
    if copy is False and not shares:
        if isinstance(obj, Tensor):
            names = [_typename(t).removeprefix("torch.").removesuffix("Tensor") for t in (obj, x)]
            raise ValueError(f"can't alias tensor with dtype '{names[0]}' into dtype '{names[1]}'.")
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    x = x.clone() if copy and shares else x
    if not x.is_leaf:
        return x if requires_grad else x.detach()
    return _new(x, None, requires_grad) if requires_grad or not x.requires_grad else x.requires_grad_(False)


def scalar_tensor(s, *, dtype=None, device=None, requires_grad=False):
    """A 0-d tensor of the default dtype."""
    return _new(_C.tensor(s, dtype or _C.get_default_dtype()), device, requires_grad)


def from_numpy(ndarray):
    """The tensor over the same memory as numpy's array."""
    return _C.from_numpy(ndarray)


def is_tensor(obj):
    """Is it a Tensor?"""
    return isinstance(obj, Tensor)


def numel(input):
    """How many elements it has."""
    return input.numel()


def is_floating_point(input):
    """Is its dtype one of the floats?"""
    return input.is_floating_point()


def is_inference(input):
    """Was it made in an inference_mode that marks what it makes? False."""
    return input.is_inference()


# ---- random numbers
def manual_seed(seed):
    """Restarts the random numbers from this seed; gives the generator behind them."""
    return default_generator.manual_seed(int(seed))


def seed():
    """Restarts the random numbers from a seed that nobody knows; gives the seed."""
    return default_generator.seed()


def initial_seed():
    """The seed the random numbers started from."""
    return default_generator.initial_seed()


def _get_state(self):
    """What set_state needs to draw the same numbers again: PyTorch's 5056 bytes, as uint8."""
    from glassgrad import _generator_state

    return _generator_state.packed(_words_of(self))


def _set_state(self, new_state):
    """Draws again what followed when get_state gave this, here or in PyTorch."""
    from glassgrad import _generator_state

    return _restore_words(self, _generator_state.unpacked(new_state))


_words_of, _restore_words = _C.Generator.get_state, _C.Generator.set_state
for _name, _method in ("get_state", _get_state), ("set_state", _set_state):
    _method.__name__, _method.__qualname__ = _name, f"Generator.{_name}"
    setattr(_C.Generator, _name, _method)


def get_rng_state():
    """What set_rng_state needs to draw the same numbers again: PyTorch's 5056 bytes, as uint8."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Draws again what followed when get_rng_state gave this, here or in PyTorch."""
    default_generator.set_state(new_state)


@_contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type="cuda"):
    """What is drawn in the `with` block changes nothing outside of it, even if the block raises."""
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


# ---- dtypes
class _Limits:
    _kind = "floating"

    def __init__(self, type=None):
        type = _C.get_default_dtype() if type is None else type
        if type.is_floating_point != (self._kind == "floating") or type is _C.bool:
            raise TypeError(self._refusal.format(f"torch.{self.__class__.__name__}"))
        self.dtype = str(type).removeprefix("torch.")
        self.__dict__.update(_C.limits(type))

    def __eq__(self, other):
        return isinstance(other, type(self)) and self.dtype == other.dtype

    def __hash__(self):
        return hash((type(self), self.dtype))


class finfo(_Limits):
    """The limits of a floating dtype: bits, eps, max, min, tiny, resolution."""

    _refusal = "torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{}'"

    @property
    def smallest_normal(self):
        return self.tiny

    def __repr__(self):
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo(_Limits):
    """The limits of an integer dtype: bits, max, min."""

    _kind = "integer"
    _refusal = "torch.iinfo() requires an integer input type. Use torch.finfo to handle '{}'"

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def get_default_dtype():
    """The dtype of floats that nobody gave one."""
    return _C.get_default_dtype()


def set_default_dtype(d):
    """float32 or float64, for floats that nobody gives a dtype."""
    if not isinstance(d, dtype) or not d.is_floating_point or d.itemsize < 4:
        raise TypeError(f"only floating-point types are supported as the default type, but got {d}")
    _C.set_default_dtype(d)


_warned_of_tensor_type = False


def set_default_tensor_type(t):
    """The old form of set_default_dtype: torch.DoubleTensor or 'torch.DoubleTensor'. With a type of torch.cuda new
    tensors are made on the GPU."""
    global _warned_of_tensor_type
    if not _warned_of_tensor_type:
        _warned_of_tensor_type = True
        _warnings.warn("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use "
                       "torch.set_default_dtype() and torch.set_default_device() as alternatives.", stacklevel=2)
    kind = _tensor_type_named(t) if isinstance(t, str) else t
    if not isinstance(kind, _TensorType):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    on_gpu = kind._name.startswith("torch.cuda.")
    if on_gpu and not _C._cuda.version():
        raise TypeError(f"type {kind._name} not available. Torch not compiled with CUDA enabled.")
    if not kind._dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    set_default_dtype(kind._dtype)
    set_default_device("cuda" if on_gpu else None)


def _tensor_type_named(name):
    import glassgrad

    home, _, last = name.rpartition(".")
    return getattr({"torch": glassgrad, "torch.cuda": glassgrad.cuda}.get(home), last, None)


def promote_types(type1, type2):
    """The dtype of a result of tensors of these two."""
    return _C.promote_types(type1, type2)


def can_cast(from_, to):
    """May a result of the one dtype be written to a tensor of the other?"""
    for position, (name, given) in enumerate([("from_", from_), ("to", to)], 1):
        if not _C.is_dtype(given):
            kind = type(given).__name__
            raise TypeError(f"can_cast(): argument '{name}' (position {position}) must be torch.dtype, not {kind}")
    return (from_.is_floating_point <= to.is_floating_point) and (from_ is _C.bool or to is not _C.bool)


# ---- products in half precision
def is_autocast_enabled(device_type=None):
    """Do products on that device, a GPU if it is not said, read float32 tensors as halves?"""
    return _C.autocast_dtype(device_type != "cpu") is not _C.float32


def get_autocast_dtype(device_type):
    """The dtype in which autocast computes products there."""
    halves = _C.bfloat16 if device_type == "cpu" else _C.float16
    return _C.autocast_dtype(device_type != "cpu") if is_autocast_enabled(device_type) else halves


def _of_device(name, instead, device_type, function):
    def old():
        _warnings.warn(f"torch.{name}() is deprecated. Please use torch.{instead}('{device_type}') instead.",
                       DeprecationWarning, stacklevel=2)
        return function(device_type)

    old.__name__ = old.__qualname__ = name
    old.__doc__ = f"The old name of {instead}({device_type!r})."
    return old


get_autocast_gpu_dtype = _of_device("get_autocast_gpu_dtype", "get_autocast_dtype", "cuda", get_autocast_dtype)
get_autocast_cpu_dtype = _of_device("get_autocast_cpu_dtype", "get_autocast_dtype", "cpu", get_autocast_dtype)
is_autocast_cpu_enabled = _of_device("is_autocast_cpu_enabled", "is_autocast_enabled", "cpu", is_autocast_enabled)


# ---- memory layout: the one that exists, and formats that change nothing
class layout:
    """How the elements of a tensor are stored."""

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return f"torch.{self._name}"


class memory_format(layout):
    """The order of the elements in memory."""


Tensor.layout = strided = layout("strided")
preserve_format = memory_format("preserve_format")
contiguous_format = memory_format("contiguous_format")


# ---- the legacy tensor classes by dtype
class _TensorType(type):
    def __instancecheck__(cls, obj):
        return isinstance(obj, Tensor) and obj.dtype is cls._dtype

    def __repr__(cls):
        return f"<class '{cls._name}'>"


def _tensor_type(name, kind):
    class OfType(metaclass=_TensorType):
        _name, _dtype = f"torch.{name}", kind

        def __new__(cls, *args):
            if len(args) == 1 and not isinstance(args[0], (int, _C.Size)):
                return _C.tensor(args[0], kind)
            return Tensor(*args).to(kind)

    OfType.__name__ = OfType.__qualname__ = name
    OfType.__module__ = "torch"
    return OfType


globals().update({f"{name}Tensor": _tensor_type(f"{name}Tensor", kind) for name, kind in _C.dtypes.items()})


# ---- printing
def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """How tensors print: digits after the point, from how many elements on they are shortened, columns of a line.

    profile: "default", "short" or "full". sci_mode: None lets the values decide.
    """
    _C.set_printoptions(precision, threshold, edgeitems, linewidth, profile, sci_mode)


# ---- for programs that call them
def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False):
    """A module around the model, which calls it and has its parameters under names behind "_orig_mod."; a function
    itself: there is nothing to compile.
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if model is None:
        return lambda model: compile(model, disable=disable)
    from glassgrad.nn import Module

    if disable or not isinstance(model, Module):
        return model
    from glassgrad._dynamo import compiled

    return compiled(model)


_matmul_precision = "highest"


def set_float32_matmul_precision(precision):
    """What get_float32_matmul_precision answers. Products are always computed in full precision."""
    global _matmul_precision
    if precision in ("highest", "high", "medium"):
        _matmul_precision = precision
    else:
        _warnings.warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
                       "setFloat32MatmulPrecision call has no effect.", stacklevel=2)


def get_float32_matmul_precision():
    """'highest', until set_float32_matmul_precision."""
    return _matmul_precision


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Nothing: every result is always the same, for any number of threads."""


def are_deterministic_algorithms_enabled():
    """True."""
    return True


def set_default_device(device):
    """Where new tensors are made that no tensor says it of; None: the CPU."""
    _C.set_default_device(device)


def get_default_device():
    """Where new tensors are made: cpu, until set_default_device."""
    return _C.get_default_device()
