#!/usr/bin/env python3
"""Gradients that a program hands in, of wrong shapes, dtypes, numbers and kinds, behind every function of the module that has
a gradient: PyTorch's errors, and never a crash. Retained gradients, and gradients at kinks."""
import math
import unittest

import glassgrad as torch
import glassgrad.nn.functional as F
from glassgrad import _C

SHAPES = [(2, 3), (3, 3), (4,), (2, 2, 3, 4)]


def reached():
    """(name, input, result) of every function that takes one or two tensors alone, with the first shape that it takes."""
    for place, module in (("torch", torch), ("torch.Tensor", torch.Tensor), ("F", F)):
        for name, _, _ in _C.signatures["torch.nn.functional" if place == "F" else place]:
            function = getattr(module, name, None)
            for arguments in [(shape, n) for n in (1, 2) for shape in SHAPES]:
                shape, n = arguments
                x = (torch.arange(math.prod(shape)).reshape(shape) / 20 + 0.1).requires_grad_()
                try:
                    y = function(x.clone(), *[torch.full(shape, 0.5)] * (n - 1))
                except Exception:
                    continue
                y = y[0] if isinstance(y, tuple) and y else y
                if isinstance(y, torch.Tensor) and y.requires_grad and y.dtype == torch.float32:
                    yield f"{place}.{name}", x, y
                    break


def giving(gradients):
    """A function, the identity, whose backward returns gradients(g)."""

    class G(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return gradients(g)

    return G


def other(g):
    return torch.ones([size + 1 for size in g.shape] or [2], dtype=g.dtype)


class FromOutside(unittest.TestCase):
    def error(self, run):
        try:
            run()
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return None

    def test_behind_every_function(self):
        count = 0
        for name, x, y in reached():
            count += 1
            with self.subTest(name):
                def behind(gradients):
                    x.grad = None
                    return self.error(lambda: giving(gradients).apply(y).sum().backward(retain_graph=True))

                size, wrong = list(y.shape), list(other(y).shape)
                if y.dim():
                    self.assertEqual(behind(other), "RuntimeError: Function GBackward returned an invalid gradient at index 0 - "
                                     f"got {wrong} but expected shape compatible with {size}")
                    self.assertEqual(behind(lambda g: torch.ones(())),
                                     "RuntimeError: Function GBackward returned an invalid gradient at index 0 - "
                                     f"got [] but expected shape compatible with {size}")
                self.assertIsNone(behind(lambda g: g.double()))
                self.assertIsNone(behind(lambda g: torch.ones(y.shape, dtype=torch.int64)))
                self.assertIsNone(behind(lambda g: torch.ones([2] + size)))  # summed to the shape
                self.assertIsNone(behind(lambda g: None))
                self.assertIsNone(x.grad)
                self.assertEqual(behind(lambda g: (g, g)), "RuntimeError: function GBackward returned an incorrect number of "
                                 "gradients (expected 1, got 2)")
                self.assertEqual(behind(lambda g: ()), "RuntimeError: function GBackward returned an incorrect number of "
                                 "gradients (expected 1, got 0)")
                self.assertEqual(behind(lambda g: [g]), "RuntimeError: expected Variable or None (got list)")

                def hooked(hook):
                    handle = y.register_hook(hook)
                    said = self.error(lambda: y.backward(torch.ones(y.shape), retain_graph=True))
                    handle.remove()
                    return said

                self.assertEqual(hooked(other), "RuntimeError: hook 'other' has changed the size of value")
                self.assertEqual(hooked(lambda g: g.double()), "RuntimeError: hook '<lambda>' has changed the type of value "
                                 "(was torch.FloatTensor got torch.DoubleTensor)")
                self.assertEqual(hooked(lambda g: "x"), "TypeError: expected Variable, but hook returned 'str'")

                def given_other_data(g):
                    g.data = other(g)

                self.assertIn("was given other data", hooked(given_other_data))
                self.assertEqual(
                    self.error(lambda: y.backward(other(y), retain_graph=True)),
                    f"RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size({wrong}) and output[0] has a "
                    f"shape of torch.Size({size}).")
                self.assertIn("attempting to assign a gradient of size", self.error(lambda: setattr(y, "grad", other(y))))
        self.assertGreater(count, 100)
        print(f"gradients: behind {count} functions")

    def test_several_inputs(self):
        x, y = torch.ones(3, 4, requires_grad=True), torch.ones(3, 4, requires_grad=True)
        for given, expected in {
            "(g, torch.ones(7), None)": "RuntimeError: Function GBackward returned an invalid gradient at index 1 - got [7] but "
                                  "expected shape compatible with [3, 4]",
            "(g, 3, None)": "RuntimeError: expected Variable or None (got int)",
            "g": "RuntimeError: function GBackward returned an incorrect number of gradients (expected 3, got 1)",
            "(g, g, g)": "RuntimeError: function GBackward returned a gradient different than None at position 3, but the "
                         "corresponding forward input was not a Variable",
            "(None, g, None, None)": None,
        }.items():
            class G(torch.autograd.Function):
                @staticmethod
                def forward(ctx, a, b, number):
                    return a * b

                @staticmethod
                def backward(ctx, g):
                    return eval(given, {"g": g, "torch": torch})

            with self.subTest(given):
                self.assertEqual(self.error(lambda: G.apply(x, y, 5).sum().backward()), expected)

    def test_data_of_what_is_no_leaf(self):
        for size in ((2, 2), (5, 3, 4)):
            x = torch.ones(3, 4, requires_grad=True)
            y = x.exp()
            y.data = torch.ones(size)
            expected = None if len(size) == 3 else "got [2, 2] but expected shape compatible with [3, 4]"
            said = self.error(lambda: (y * 2).sum().backward(retain_graph=True))
            self.assertEqual(said, expected and "RuntimeError: Function MulBackward0 returned an invalid gradient at index 0 - "
                             + expected)
            said = self.error(lambda: y.backward(torch.ones(size)))
            self.assertEqual(said, expected and "RuntimeError: invalid gradient at index 0 - " + expected)


class InPlaceGeometry(unittest.TestCase):
    """PyTorch 2.6's nodes, values and errors."""

    def test_a_step_of_the_graph(self):
        w = torch.tensor([10.0, 20.0, 30.0], requires_grad=True)
        for change, node in {
            "x.t_()": "TBackward1", "x.transpose_(0, 1)": "TransposeBackward1", "x.swapaxes_(0, 1)": "TransposeBackward1",
            "x.swapdims_(0, 1)": "TransposeBackward1", "x.unsqueeze_(1)": "UnsqueezeBackward1",
            "x.squeeze_()": "SqueezeBackward3", "x.squeeze_(0)": "SqueezeBackward4", "x.squeeze_((0, 1))": "SqueezeBackward5",
        }.items():
            with self.subTest(change):
                w.grad = None
                x = (w * 1).view(1, 3)
                row = x[0]
                self.assertIs(eval(change), x)
                self.assertEqual((x.grad_fn.name(), x._version), (node, 1))
                self.assertEqual(row.grad_fn.name(), "AsStridedBackward0")
                (x * torch.arange(3.0).view(x.shape) + row.view(x.shape)).sum().backward()
                self.assertEqual(w.grad.tolist(), [1.0, 2.0, 3.0])

    def test_of_a_leaf(self):
        x = torch.arange(1.0, 5.0).reshape(2, 2).requires_grad_()
        for change in ("x[0].mul_(2)", "x[0].unsqueeze_(0)", "x.t_()", "x.put_(torch.tensor([0]), torch.tensor([1.0]))"):
            with self.subTest(change), self.assertRaisesRegex(RuntimeError, "^a view of a leaf Variable that requires grad"):
                eval(change)
        self.assertTrue(x.is_leaf)
        (x * x).sum().backward()
        self.assertEqual(x.grad.tolist(), [[2.0, 4.0], [6.0, 8.0]])


class Retained(unittest.TestCase):
    """PyTorch 2.6's values."""

    def test_passes_add_up(self):
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        y.retain_grad()
        y.retain_grad()
        z = (y * 3).sum()
        z.backward(retain_graph=True)
        first = y.grad
        z.backward(retain_graph=True)
        self.assertEqual([first.tolist(), y.grad.tolist(), x.grad.tolist()], [[3] * 3, [6] * 3, [12] * 3])
        y.grad.zero_()
        z.backward(retain_graph=True)
        self.assertEqual(y.grad.tolist(), [3] * 3)
        y.grad = None
        z.backward(inputs=[y])
        self.assertEqual(y.grad.tolist(), [3] * 3)

    def test_memory_of_its_own(self):
        x = torch.ones(3, requires_grad=True)
        y = x + 0
        z = y + 0
        y.retain_grad()
        z.retain_grad()
        (z * 2).sum().backward()
        z.grad.mul_(100)
        self.assertEqual([y.grad.tolist(), x.grad.tolist()], [[2] * 3, [2] * 3])

    def test_in_place(self):
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        y.retain_grad()
        y.mul_(5)
        (y * 3).sum().backward()
        self.assertEqual(y.grad.tolist(), [3] * 3)
        y = x * 2
        v = y[:2]
        v.retain_grad()
        y.mul_(5)
        (v * 3).sum().backward()
        self.assertEqual(v.grad.tolist(), [3] * 2)
        y = x * 2
        v = y[:2]
        v.retain_grad()
        v.mul_(5)
        (y * 3).sum().backward()
        self.assertIsNone(v.grad)

    def test_inputs_are_retained(self):
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        z = (y * 3).sum()
        z.backward(inputs=[y], retain_graph=True)
        z.backward(inputs=[y])
        self.assertEqual([y.grad.tolist(), y.retains_grad, x.grad], [[6] * 3, True, None])


if __name__ == "__main__":
    unittest.main()
