"""The old classes of tensors on a GPU by dtype: torch.cuda.FloatTensor and so on."""

from glassgrad import _C
from glassgrad._C import Tensor
from glassgrad._state import _TensorType


class _OnGpu(_TensorType):
    def __instancecheck__(cls, obj):
        return super().__instancecheck__(obj) and obj.is_cuda

    def __call__(cls, *args):
        if not _C._cuda.version():
            raise TypeError(f"type {cls._name} not available. Torch not compiled with CUDA enabled.")
        sizes = len(args) != 1 or isinstance(args[0], (int, _C.Size))
        return (Tensor(*args) if sizes else _C.tensor(args[0], cls._dtype)).to("cuda", cls._dtype)


for _name, _kind in _C.dtypes.items():
    _name += "Tensor"
    globals()[_name] = _OnGpu(_name, (), {"_name": f"torch.cuda.{_name}", "_dtype": _kind, "__module__": "torch.cuda"})
