"""What weight norms compute, old and new; along the first or the last dimension it rounds as PyTorch's kernel does."""

import sys
import types

import glassgrad as torch
from glassgrad._autograd import Function
from glassgrad._C import as_one


def norm_except_dim(v, pow=2, dim=0):
    """The pow-norm over all dimensions but dim, which keep a size of 1; with dim −1 over all, 0-d."""
    if dim == -1:
        return v.norm(pow)
    if dim == v.dim() - 1 and dim != 0:
        return v.contiguous().view(-1, v.size(-1)).norm(pow, 0).view(*[1] * dim, v.size(-1))
    if dim != 0:
        return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
    return v.contiguous().view(v.size(0), -1).norm(pow, 1).view(-1, *[1] * (v.dim() - 1))


def _summed(rows):
    """The rows added up, one after the other."""
    numbers = torch.zeros(rows.size(0), dtype=torch.long, device=rows.device)
    return rows.new_zeros(1, rows.size(1)).index_add_(0, numbers, rows)[0]


def _fused(a, b, c):
    """a·b + c of float32, rounded once, as PyTorch's kernel does."""
    return (a.double() * b.double() + c.double()).float() if a.dtype is torch.float32 else a * b + c


def _column_products(a, b):
    """The sums of the columns of a · b, row after row."""
    sums = torch.zeros_like(a[0])
    for x, y in zip(a, b):
        sums = _fused(x, y, sums)
    return sums


def _row_sums(x):
    """The sum of each row as vectors of 32 bytes add it: lane by lane, then the lanes."""
    lanes = 8 if x.dtype is torch.float32 else 4
    count, size = x.shape
    if size < lanes:
        return _summed(x.t())
    whole = size - size % lanes
    sums = _summed(x[:, :whole].reshape(count, -1, lanes).transpose(0, 1).reshape(-1, count * lanes)).view(count, lanes)
    if size > whole:
        sums = torch.cat([sums[:, :size - whole] + x[:, whole:], sums[:, size - whole:]], 1)
    if lanes == 4:
        return _summed(sums.t())
    for half in 4, 2, 1:
        sums = sums[:, :half] + sums[:, half:]
    return sums[:, 0]


class _Scaled(Function):
    """g · v / ‖v‖, the norm of each place of the first or of the last dimension."""

    @staticmethod
    def forward(ctx, v, g, dim):
        v_, g_ = _matrix(v, dim), _matrix(g, dim)
        norm = _products(v_, v_, dim).sqrt()
        ctx.save_for_backward(v, g, norm)
        ctx.dim = dim
        return (v_ * (g_ / norm)).view(v.shape).to(v.dtype)

    @staticmethod
    def backward(ctx, gradient):
        v, g, norm = ctx.saved_tensors
        v_, g_, of_w = (_matrix(x, ctx.dim) for x in (v, g, gradient))
        if torch.is_grad_enabled():  # a gradient of this gradient needs the norm in the graph
            norm = _products(v_, v_, ctx.dim).sqrt()
        of_g = _products(of_w, v_, ctx.dim) / norm
        a = g_ / norm
        of_v = _fused(-(a * of_g / norm), v_, a * of_w)
        return of_v.view(v.shape).to(v.dtype), of_g.view(g.shape).to(g.dtype), None


def _matrix(x, dim):
    """As a matrix with the dimension as rows, or as columns if it is the last; halves as float32."""
    x = x.contiguous().view(x.size(0), -1) if dim == 0 else x.contiguous().view(-1, x.size(-1))
    return x if x.dtype is torch.float64 else x.float()


def _products(a, b, dim):
    return _row_sums(a * b).unsqueeze(1) if dim == 0 else _column_products(a, b).unsqueeze(0)


def scaled_to(v, g, dim=0):
    """g · v / ‖v‖, as torch._weight_norm."""
    if dim == 0 or dim == v.dim() - 1:
        return as_one("WeightNormInterfaceBackward0", _Scaled.apply(v, g, dim))
    return v * (g / norm_except_dim(v, 2, dim))


# ---- what the old forms of weight norm and spectral norm share
def hooks_of(kind, module):
    """The module's hooks of this class, by number."""
    return {key: hook for key, hook in module._forward_pre_hooks.items() if isinstance(hook, kind)}


def remove_norm(kind, function, module, name):
    """Takes the hook of module.NAME off, which makes NAME a parameter again; gives the module."""
    for key, hook in hooks_of(kind, module).items():
        if hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"{function} of '{name}' not found in {module}")


def make_callable(home, function):
    """Lets the module be called like its function, also where an import has put the module in the function's place."""

    class CallableModule(types.ModuleType):
        def __call__(self, *args, **kwargs):
            return function(*args, **kwargs)

    sys.modules[home].__class__ = CallableModule
