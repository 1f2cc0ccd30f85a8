#!/usr/bin/env python3
"""Functions and methods as PyTorch 2.6 has them: results, grad_fn and error texts of the expressions in golden/functions.txt,
and the errors of the op table in golden/op_errors.txt.

`test_functions.py --record FILE`, run under PyTorch, writes the results of FILE's expressions into it.
"""
import math
import pathlib
import sys
import unittest

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
FILES = [GOLDEN / "functions.txt", GOLDEN / "op_errors.txt"]
RECORD = sys.argv[1:2] == ["--record"]

if RECORD:
    import torch
    import torch.nn.functional as F
else:
    import glassgrad as torch
    import glassgrad.nn.functional as F


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
        "s": torch.tensor(2.5), "u": torch.tensor([1.0, math.nan, math.inf, -math.inf, 0.0]),
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
        for file in FILES:
            values = names()
            for expression, expected in cases(file.read_text(encoding="utf-8")):
                with self.subTest(expression):
                    self.assertEqual(result(expression, values).rstrip("\n"), expected)


if __name__ == "__main__":
    if RECORD:
        path = pathlib.Path(sys.argv[2])
        values = names()
        done = [f">>> {e}\n{result(e, values)}\n" for e, _ in cases(path.read_text(encoding="utf-8"))]
        path.write_text("".join(done), encoding="utf-8")
    else:
        unittest.main()
