#!/usr/bin/env python3
"""Values and gradients at the edges, as PyTorch 2.6 has them: zeros, ties, NaN, infinities, no elements, no dimensions, shapes that
broadcast or do not fit, narrow dtypes, masks that hide everything. The expressions of golden/edges.txt.

`test_edges.py --record FILE`, run under PyTorch, writes the results of FILE's expressions into it.
"""
import importlib
import math
import unittest
import warnings
import zlib

import random_edges
from test_functions import GOLDEN, F, Text, cases, main, names, result, torch

nn = torch.nn


def shown(x):
    """Shape, dtype, node and numbers to four digits."""
    if not isinstance(x, torch.Tensor):
        return repr(x)
    numbers = " ".join("0" if abs(v) < 1e-12 else f"{v:.4g}" for v in x.detach().flatten().tolist())
    node = "" if x.grad_fn is None else " " + x.grad_fn.name()
    return f"{list(x.shape)} {str(x.dtype)[6:]}{node}: {numbers}"


def with_slopes(results):
    """Runs backward through each of the results with slopes from -1 to 2."""
    for y in results:
        if isinstance(y, torch.Tensor) and y.requires_grad:
            slopes = torch.linspace(-1, 2, max(y.numel(), 1), dtype=torch.float64)[: y.numel()].reshape(y.shape)
            y.backward(slopes.to(y.dtype), retain_graph=True)


def grads(call, *inputs):
    """What call(inputs) gives, with its node, and the gradients of the floats among the inputs; lists become float64."""
    leaves = []
    for x in inputs:
        x = x.detach().clone() if isinstance(x, torch.Tensor) else torch.tensor(x, dtype=torch.float64)
        leaves.append(x.requires_grad_() if x.is_floating_point() else x)
    y = call(*leaves)
    results = (y,) if isinstance(y, torch.Tensor) else tuple(y)
    with_slopes(results)
    return Text("\n".join([*map(shown, results), *(shown(x.grad) for x in leaves if x.is_floating_point())]))


def each(functions, *inputs):
    """grads of each of the functions, or its error."""
    lines = []
    for function in functions:
        try:
            lines.append(grads(function, *inputs))
        except Exception as error:
            lines.append(f"{type(error).__name__}: {error}")
    return Text("\n".join(lines))


def made(*shape, dtype=torch.float64):
    return torch.sin(torch.arange(math.prod(shape), dtype=dtype) * 0.7).reshape(shape)


def by_dtype(function):
    """function(dtype) of all dtypes."""
    lines = []
    for dtype in names()["all_dtypes"]:
        try:
            y = function(dtype)
            lines.append(f"{y.dtype} {y.tolist()}")
        except Exception as error:
            lines.append(f"{type(error).__name__}: {error}")
    return Text("\n".join(lines))


def module(m, call, inference):
    """The results of a float64 module, its parameters from a sine, for two sentences, and the gradients of these and of its
    first parameter; inference: without gradients."""
    with torch.no_grad():
        for p in m.parameters():
            p.copy_(torch.sin(torch.arange(p.numel()) * 0.9 + 0.3).view(p.shape) * 0.5)
    m.double()
    x = made(2, 3, 4)
    if inference:
        m.eval()
        with torch.no_grad():
            return Text("\n".join(map(shown, call(m, x))))
    y = call(m, x.requires_grad_())
    with_slopes(y)
    return Text("\n".join([*map(shown, y), *(shown(v.grad) for v in (x, next(m.parameters())))]))


def as_mask(mask):
    mask = None if mask is None else torch.tensor(mask)
    return mask.double() if mask is not None and mask.is_floating_point() else mask


def mha(pad=None, mask=None, inference=False, single=False, batch_first=True, settings={}, **options):
    """MultiheadAttention of width 4 and 2 heads. single: without a batch."""

    def call(m, x):
        x = x[0] if single else x if batch_first else x.transpose(0, 1)
        return m(x, x, x, key_padding_mask=as_mask(pad), attn_mask=as_mask(mask), **options)

    return module(nn.MultiheadAttention(4, 2, batch_first=batch_first, **settings), call, inference)


def layer(pad=None, mask=None, inference=False):
    return module(nn.TransformerEncoderLayer(4, 2, 6, 0.0, batch_first=True),
                  lambda m, x: [m(x, as_mask(mask), as_mask(pad))], inference)


def at_random(start, end):
    """Of the random expressions of these seeds the checksums of what they give, ten a line."""
    known = values()
    texts = (result(random_edges.expression(seed), known) for seed in range(start, end))
    sums = [f"{zlib.crc32(text.encode()):08x}" for text in texts]
    return Text("\n".join(" ".join(sums[k : k + 10]) for k in range(0, len(sums), 10)))


def values():
    return {**names(), "nn": nn, "grads": grads, "each": each, "made": made, "by_dtype": by_dtype, "mha": mha,
            "layer": layer, "at_random": at_random,
            "lower_right": importlib.import_module(f"{torch.__name__}.nn.attention.bias").causal_lower_right}


class Edges(unittest.TestCase):
    def test_expressions(self):
        warnings.simplefilter("ignore")
        known = values()
        for expression, expected in cases((GOLDEN / "edges.txt").read_text(encoding="utf-8")):
            with self.subTest(expression):
                self.assertEqual(result(expression, known).rstrip("\n"), expected)


if __name__ == "__main__":
    main(values)
