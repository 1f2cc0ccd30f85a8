"""Methods of Tensor that are rarely called, or call Python themselves."""

import copy
import warnings

from glassgrad import _C, _passes
from glassgrad._C import Parameter, Tensor

_DTYPES = {f"torch.{name}Tensor": dtype for name, dtype in _C.dtypes.items()}
_TYPES = {dtype: name for name, dtype in _DTYPES.items()}


def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Adds d(self·gradient)/d(leaf) to every leaf's .grad. Without gradient: for a tensor of one element, with 1."""
    _passes.backward(self, gradient, retain_graph, create_graph, inputs)


class RemovableHandle:
    """Takes a tensor's hook away: by remove(), or at the end of a `with`."""

    def __init__(self, tensor, id):
        self._tensor, self.id = tensor, id

    def remove(self):
        if self._tensor is not None:
            _C.remove_hook(self._tensor, self.id)
            self._tensor = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


RemovableHandle.__module__ = "torch.utils.hooks"


def register_hook(self, hook):
    """hook(gradient) is called when the gradient of this tensor is known; what it returns, if not None, replaces it."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    return RemovableHandle(self, _C.register_hook(self, hook))


def register_post_accumulate_grad_hook(self, hook):
    """hook(self) is called at the end of every backward pass that has added to the .grad of this leaf."""
    return RemovableHandle(self, _C.register_post_accumulate_grad_hook(self, hook))


# ---- other dtypes and devices
def to(self, *args, dtype=None, device=None, other=None, non_blocking=False, copy=False, memory_format=None):
    """to(dtype), to(device), to(device, dtype), to(other): itself where nothing changes."""
    flags = []
    for arg in (*args, dtype, device, other):
        if isinstance(arg, bool):
            flags.append(arg)
        elif isinstance(arg, Tensor):
            dtype, device = arg.dtype, arg.device
        elif _C.is_dtype(arg):
            dtype = arg
        elif arg is not None:
            _check_device(arg, "to")
            device = arg
    result = self if dtype is None else _C.cast(self, dtype)
    result = result if device is None else _C.placed(result, device)
    copy = copy or (len(flags) > 1 and flags[1])
    return result.clone() if copy and result is self else result


def _check_device(device, function):
    if not (_C.is_device(device) or isinstance(device, int)):
        raise TypeError(
            f"{function}() received an invalid combination of arguments - got ({type(device).__name__}), but expected "
            "one of: a torch.dtype, a torch.device or a Tensor"
        )


def type_(self, dtype=None, non_blocking=False):
    """'torch.FloatTensor' and so on; type(dtype) casts."""
    if dtype is None:
        device = self.device.type
        return _TYPES[self.dtype].replace("torch.", "torch." if device == "cpu" else f"torch.{device}.")
    return _C.cast(self, dtype_of(dtype))


type_.__name__ = "type"


def dtype_of(kind):
    """The dtype in torch.float32, 'torch.FloatTensor' or torch.FloatTensor."""
    name = getattr(kind, "_name", kind)
    if isinstance(name, str):
        if name not in _DTYPES:
            raise ValueError(f"invalid type: '{name}'")
        return _DTYPES[name]
    if not _C.is_dtype(kind):
        raise TypeError("dtype must be a type, str, or dtype object")
    return kind


def _cast(name, dtype):
    def method(self, *args, memory_format=None):
        if args:
            raise TypeError(f"{name}() takes 0 positional arguments but {len(args)} was given")
        return _C.cast(self, dtype)

    method.__name__ = name
    method.__doc__ = f"The same numbers as {dtype}; itself if it has that dtype."
    return method


def type_as(self, other):
    """The same numbers in the dtype of other."""
    return _C.cast(self, other.dtype)


def cpu(self, memory_format=None):
    """Its copy on the CPU; itself if it lies there."""
    return _C.placed(self, "cpu")


def cuda(self, device=None, non_blocking=False, memory_format=None):
    """Its copy on a GPU, the first without `device`; itself if it lies there.

    AssertionError `Torch not compiled with CUDA enabled` in a build without, RuntimeError where there is no GPU.
    """
    return _C.placed(self, "cuda" if device is None else device)


def get_device(self):
    """The number of its GPU; -1: the CPU."""
    return self.device.index if self.is_cuda else -1


# ---- numpy
def numpy(self, *, force=False):
    """numpy's array over the same memory."""
    if force:
        return _C.to_numpy(self.detach().cpu())
    if self.requires_grad and _C.is_grad_enabled():
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    return _C.to_numpy(self)


def __array__(self, dtype=None):
    array = self.numpy()
    return array if dtype is None else array.astype(dtype, copy=False)


def __array_wrap__(self, array, context=None, return_scalar=False):
    return _C.from_numpy(array)


# ---- copies
def __deepcopy__(self, memo):
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]
    copied = self.detach().clone()
    if isinstance(self, Parameter):
        copied = type(self)(copied, self.requires_grad)
    else:
        copied.requires_grad_(self.requires_grad)
    memo[id(self)] = copied
    if self.grad is not None:
        copied.grad = copy.deepcopy(self.grad, memo)
    copied.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return copied


def __copy__(self):
    return _rebuilt(self.detach(), isinstance(self, Parameter), self.requires_grad, dict(self.__dict__))


def _rebuilt(data, parameter, requires_grad, attributes):
    x = Parameter(data, requires_grad) if parameter else data.requires_grad_(requires_grad)
    x.__dict__.update(attributes)
    return x


def named(name, *args):
    """What a pickle of a dtype, a size or a device stands for."""
    thing = getattr(_C, name)
    return thing(*args) if args else thing


def _from_pickle(data, shape, dtype, *rest):
    return _rebuilt(_C.from_bytes(data, shape, dtype), *rest)


def __reduce_ex__(self, protocol):
    if not self.is_leaf:
        warnings.warn("only the numbers of a tensor are pickled, not the graph that made it", stacklevel=2)
    rest = (isinstance(self, Parameter), self.requires_grad and self.is_leaf, self.__dict__)
    return _from_pickle, (_C.bytes_of(self), tuple(self.shape), self.dtype, *rest)


def __reversed__(self):
    return self.flip(0) if self.dim() else self


# ---- new tensors of the same dtype
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    """torch.tensor(data) of this tensor's dtype."""
    if device is not None:
        _C.to_device(device)
    return _C.tensor(data, self.dtype if dtype is None else dtype).requires_grad_(requires_grad)


def new(self, *args, device=None):
    """An old form of new_empty and new_tensor."""
    return Tensor(*args).to(self.dtype)


def share_memory_(self):
    """Itself."""
    return self


def pin_memory(self, device=None):
    """Itself."""
    return self


def is_shared(self):
    """False."""
    return False


def is_pinned(self, device=None):
    """False."""
    return False


# ---- memory
def untyped_storage(self):
    """The memory behind it, as bytes: data_ptr(), nbytes(), the same object for all tensors that share it."""
    from glassgrad.storage import untyped
    return untyped(self)


def storage(self):
    """The memory behind it, as numbers of its dtype; deprecated for untyped_storage()."""
    from glassgrad.storage import typed
    return typed(self)


def _attach():
    plain = [backward, register_hook, register_post_accumulate_grad_hook, to, type_as, cpu, cuda, get_device]
    plain += [numpy, new_tensor, new, share_memory_, pin_memory, is_shared, is_pinned, untyped_storage, storage]
    plain += [__array__, __array_wrap__, __deepcopy__, __copy__, __reduce_ex__, __reversed__]
    for function in plain:
        function.__qualname__ = f"Tensor.{function.__name__}"
        setattr(Tensor, function.__name__, function)
    Tensor.type = type_
    Tensor.is_cpu = property(lambda self: self.device.type == "cpu", doc="Does it lie on the CPU?")
    Tensor.is_meta = property(lambda self: self.device.type == "meta", doc="Has it a shape and no numbers?")
    Tensor.__array_priority__ = 1000
    for name, dtype in _C.dtypes.items():
        setattr(Tensor, name.lower(), _cast(name.lower(), dtype))


_attach()
