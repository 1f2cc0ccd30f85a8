#!/usr/bin/env python3
"""Functions and methods as PyTorch 2.6 has them: results, grad_fn and error texts of the expressions in golden/functions.txt,
the errors of the op table in golden/op_errors.txt, and the narrow dtypes in golden/dtypes.txt.

`test_functions.py --record FILE`, run under PyTorch, writes the results of FILE's expressions into it.
"""
import math
import pathlib
import sys
import unittest
import warnings
import zlib

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
FILES = [GOLDEN / name for name in ("functions.txt", "out.txt", "op_errors.txt", "dtypes.txt")]
RECORD = sys.argv[1:2] == ["--record"]

if RECORD:
    import torch
    import torch.nn.functional as F
else:
    import glassgrad as torch
    import glassgrad.nn.functional as F


class Text(str):
    __repr__ = str.__str__


def said(call, shapes, dtypes, **options):
    """What call(out) does with an out, or a pair, of these: "written", with the numbers if the call without gives others."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        outs = [torch.ones(*shape, dtype=dtype, **options) for shape, dtype in zip(shapes, dtypes)]
        torch.manual_seed(7)
        plain = call(None)
        torch.manual_seed(7)
        try:
            given = call(outs[0] if isinstance(plain, torch.Tensor) else tuple(outs))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    single = isinstance(plain, torch.Tensor)
    plain, given = ([plain], [given]) if single else (plain, given)
    same = all(y.shape == x.shape and torch.equal(y.nan_to_num(), x.to(y.dtype).nan_to_num()) for x, y in zip(plain, given))
    text = "written" if all(x is y for x, y in zip(given, outs)) else "not written"
    text += "" if same else f" {given}"
    return text + "".join(f", {w.category.__name__}: {str(w.message).partition('. ')[0]}" for w in warned)


def outs(call):
    """Of each kind of `out=`, what a function does with it. call(out) calls it; None: no out."""
    torch.manual_seed(7)
    plain = call(None)
    plain = [plain] if isinstance(plain, torch.Tensor) else list(plain)
    shapes, own = [x.shape for x in plain], [x.dtype for x in plain]
    kinds = {str(dtype)[6:]: said(call, shapes, [dtype, *own[1:]])
             for dtype in (torch.float32, torch.float64, torch.int64, torch.bool)}
    if len(plain) > 1:
        kinds["float32 indices"] = said(call, shapes, [own[0], torch.float32])
    kinds["empty"] = said(call, [(0,)] * 2, own)
    kinds["another size"] = said(call, [(7, 2)] * 2, own)
    lines = {}
    for kind, text in kinds.items():
        lines.setdefault(text, []).append(kind)
    return Text("\n".join(f"{', '.join(kinds)}: {text}" for text, kinds in lines.items()))


def each(call, dtypes):
    """What call(dtype) gives, a line for each."""
    lines = []
    for dtype in dtypes:
        torch.manual_seed(7)
        try:
            lines.append(str(call(dtype)))
        except Exception as error:
            lines.append(f"{type(error).__name__}: {error}")
    return Text("\n".join(lines))


def sums(call, *inputs):
    """The result and the gradients of its inputs by their bits: shape, dtype and a checksum of the numbers."""
    leaves = [x.detach().clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
    y = call(*leaves)
    if y.requires_grad:
        slopes = torch.linspace(-1, 2, max(y.numel(), 1), dtype=torch.float64)[: y.numel()].reshape(y.shape)
        y.backward(slopes.to(y.dtype))
    all = [y.detach(), *(x.grad for x in leaves if x.is_floating_point() and x.grad is not None)]
    return Text(" ".join(f"{list(x.shape)} {str(x.dtype)[6:]} {zlib.crc32(repr(x.tolist()).encode()):08x}" for x in all))


def names():
    """What the expressions speak of."""
    torch.manual_seed(5)
    return {
        "torch": torch, "F": F, "inf": math.inf, "nan": math.nan,
        "x": torch.randn(3, 4), "y": torch.randn(3, 4), "v": torch.randn(4), "w": torch.rand(4, 5),
        "b": torch.randn(2, 3, 4), "c": torch.randn(2, 4, 5), "p": torch.rand(3, 4),
        "i": torch.tensor([[0, 2, 1, 3], [1, 1, 0, 2], [3, 0, 0, 1]]), "n": torch.tensor([2, 0, 1]),
        "m": torch.tensor([[True, False, False, True], [False, True, False, True], [True, True, False, False]]),
        "k": torch.tensor([3, 1, 2, 3, 1]), "a": torch.randn(3, 4, requires_grad=True), "t": torch.tensor([1, 2, 0]),
        "outs": outs, "s": torch.tensor(2.5), "u": torch.tensor([1.0, math.nan, math.inf, -math.inf, 0.0]),
        "r": torch.randn(40, 50), "q": torch.rand(40, 50) + 0.1, "sums": sums, "each": each,
        "halves": lambda call: each(call, (torch.float16, torch.bfloat16)),
        "whole": lambda call: each(call, (torch.uint8, torch.int8, torch.int16, torch.int32)),
        "all_dtypes": [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
                       torch.bfloat16, torch.float32, torch.float64],
    }


def result(expression, values):
    torch.manual_seed(7)
    try:
        return repr(eval(expression, dict(values)))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def cases(text):
    """(expression, result) of every block; a block begins with `>>> `."""
    for block in ("\n" + text).split("\n>>> ")[1:]:
        expression, _, expected = block.partition("\n")
        yield expression, expected.rstrip("\n")


class Functions(unittest.TestCase):
    def test_expressions(self):
        warnings.simplefilter("ignore")
        for file in FILES:
            values = names()
            for expression, expected in cases(file.read_text(encoding="utf-8")):
                with self.subTest(expression):
                    self.assertEqual(result(expression, values).rstrip("\n"), expected)


def main(values):
    """Runs the tests; with `--record FILE` writes the results of FILE's expressions into it instead."""
    if not RECORD:
        return unittest.main()
    warnings.simplefilter("ignore")
    path, known = pathlib.Path(sys.argv[2]), values()
    done = [f">>> {e}\n{result(e, known)}\n" for e, _ in cases(path.read_text(encoding="utf-8"))]
    path.write_text("".join(done), encoding="utf-8")


if __name__ == "__main__":
    main(names)
