"""The product of complex numbers as pairs of real ones, with the roundings of PyTorch's loops."""

import glassgrad as torch
from glassgrad import _C
from glassgrad.autograd.function import Function


def conjugate(pairs):
    """The pairs with −imag for imag."""
    real, imag = pairs.unbind(-1)
    return torch.stack([real, -imag], -1)


def product(x, y):
    """(a + bi)(c + di) = (ac − bd) + (ad + bc)i of pairs that broadcast. Its gradient is such a product too."""
    if torch.is_grad_enabled() and (x.requires_grad or y.requires_grad):
        return _Product.apply(x, y)
    return _multiplied(x, y)


class _Product(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return _multiplied(x, y)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return tuple(_summed(product(grad, conjugate(other)), of.shape) if needed else None
                     for of, other, needed in zip((x, y), (y, x), ctx.needs_input_grad))


def _summed(x, shape):
    """x, added up where the shape was broadcast to x's."""
    before = x.dim() - len(shape)
    dims = [k for k, size in enumerate(x.shape) if k < before or (shape[k - before] == 1 and size != 1)]
    return x.sum(dims).view(shape) if dims else x


def _multiplied(x, y):
    (a, b), (c, d) = x.unbind(-1), y.unbind(-1)
    bd, bc = b * d, b * c
    row, is_close = _row(*torch.broadcast_tensors(a, c))
    begin, end = (row - row % 8 if is_close else 0), row - row % 2
    if x.dtype is not _C.float32 or y.dtype is not _C.float32 or begin >= end:
        return torch.stack([a * c - bd, a * d + bc], -1)
    # Like PyTorch, multiply the rest of a row after blocks of eight in pairs, not rounding ac and ad before the sum.
    wide_a, wide_c, wide_d = a.double(), c.double(), d.double()
    once = torch.stack([wide_a * wide_c - bd.double(), wide_a * wide_d + bc.double()], -1).float()
    if begin == 0 and end == row:
        return once
    place = torch.arange(once.numel() // 2).view(*once.shape[:-1], 1) % row
    return torch.where((place >= begin) & (place < end), once, torch.stack([a * c - bd, a * d + bc], -1))


def _row(a, c):
    """How many numbers PyTorch's innermost loop takes, and whether both operands have them side by side."""
    row, steps = 1, (2, 2)
    for size, *strides in zip(reversed(a.shape), reversed(a.stride()), reversed(c.stride())):
        if size == 1:
            continue
        if row == 1:
            steps = tuple(strides)
        elif any(stride != row * step for stride, step in zip(strides, steps)):
            break
        row *= size
    return (row, steps == (2, 2)) if 0 not in steps else (1, False)
