"""trace_nan, leak_test, shapes, compare, and %%glass."""
import contextlib
import io
import math
import unittest

import glassgrad as torch
from glassgrad import _glass, nn


class Attention(nn.Module):
    def __init__(self, leaks=False):
        super().__init__()
        self.W, self.leaks = nn.Linear(4, 4), leaks
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        n = x.shape[-2]
        scores = self.W(x) @ x.transpose(-1, -2)
        future = torch.triu(torch.ones(n, n), 1).bool()
        masked = scores.masked_fill(future, -math.inf)
        visible = scores if self.leaks else masked
        weights = self.drop(torch.softmax(visible, dim=-1))
        return weights @ x


class TraceNan(unittest.TestCase):
    def test_the_call_that_made_a_nan_is_opened(self):
        with torch.glass():
            counts = torch.tensor([3.0, 0.0])
            logs = counts.log()
            masked = torch.zeros(2).masked_fill(torch.tensor([True, False]), -math.inf)  # this -inf causes no nan
            entropy = (counts * logs).sum() + torch.softmax(masked, 0).sum()
        text = str(torch.trace_nan(entropy))
        self.assertIn("entropy is nan. The first call that made one is mul 1", text)
        self.assertIn("counts[1] · logs[1]", text)
        self.assertIn("logs[1] is -inf. The first call that made one is log 1", text)
        self.assertNotIn("masked", text)

    def test_infinities_given_and_finite_numbers(self):
        given = torch.tensor([1.0, math.nan])
        with torch.glass():
            doubled = given * 2
            big = torch.tensor([1000.0]).exp()
            fine = torch.ones(2) * 2
        self.assertIn("It was given: given[1] is nan", torch.trace_nan(doubled))
        self.assertIn("big[0] is inf. The first call that made one is exp 1", torch.trace_nan(big))
        self.assertIn("all numbers of fine are finite", torch.trace_nan(fine))

    def test_a_nan_of_a_gradient(self):
        x = torch.tensor([0.0, 1.0], requires_grad=True)
        with torch.glass():
            x.sqrt().mul(0).sum().backward()
        self.assertIn("x.grad[0] is nan. The first call that made one is", torch.trace_nan(x.grad))


class LeakTest(unittest.TestCase):
    def test_a_causal_model_has_none(self):
        model = Attention().train()
        self.assertIn("no leak", torch.leak_test(model, torch.rand(1, 5, 4)))
        self.assertIn("no leak", torch.leak_test(model, torch.rand(5, 4)))
        self.assertTrue(model.training)

    def test_the_op_of_a_leak_is_opened(self):
        model = Attention(leaks=True)
        for x in (torch.rand(1, 5, 4), torch.rand(2, 5, 4), torch.rand(5, 4)):
            text = str(torch.leak_test(model, x))
            self.assertIn("leak: changing token 1 moves output 0, by", text)
            self.assertIn("moves outputs 0, 1, 2, 3", text)
            self.assertRegex(text, "is computed from weights\\[[0,]*0,1\\]")
        mean = str(torch.leak_test(lambda x: x - x.mean(dim=1, keepdim=True), torch.rand(1, 4, 3)))
        self.assertIn("through mean 1", mean)

    def test_tokens_tuples_and_bad_outputs(self):
        table = nn.Embedding(7, 4)
        self.assertIn("no leak", torch.leak_test(lambda i: (table(i), None), torch.tensor([[1, 5, 2]])))
        self.assertIn("leak", torch.leak_test(lambda i: table(i).flip(1), torch.tensor([[1, 5, 2]])))
        with self.assertRaisesRegex(ValueError, "a place for each of the 3 tokens"):
            torch.leak_test(lambda i: table(i)[:, -1:], torch.tensor([[1, 5, 2]]))
        with self.assertRaisesRegex(TypeError, "gives no tensor"):
            torch.leak_test(lambda i: 3, torch.tensor([[1, 5, 2]]))


class ShapesAndCompare(unittest.TestCase):
    def test_a_line_for_each_call(self):
        lines = str(torch.shapes(Attention(), torch.rand(1, 5, 4))).splitlines()
        self.assertTrue(any("weights" not in line and "scores [1, 5, 5]" in line for line in lines), lines)
        self.assertTrue(any("in W" in line and "[4]" in line for line in lines), lines)
        self.assertEqual(len(str(torch.shapes(lambda a, b: a @ b, (torch.ones(2, 3), torch.ones(3, 1)))).splitlines()), 1)

    def test_the_first_difference_is_opened_on_both_sides(self):
        def ours(x):
            scaled = x * 0.5
            weights = torch.softmax(scaled, dim=-1)
            return weights * 2

        def theirs(x):
            scaled = x / 2
            weights = torch.softmax(scaled, dim=0)
            return 2 * weights

        x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
        text = str(torch.compare(ours, theirs, x))
        self.assertIn("the first value is the same; then weights[0,0] is", text)
        self.assertIn("first program, softmax 1:", text)
        self.assertIn("second program, softmax 1:", text)
        self.assertIn("no difference", torch.compare(ours, ours, x))
        self.assertIn("no difference", torch.compare(lambda x: x + torch.rand(2), lambda x: x + torch.rand(2), x))
        self.assertIn("no difference", torch.compare(lambda x: x * 1.0, lambda x: x * 1.0001, x, atol=0.01))
        self.assertIn("shapes [2, 2] and [4]", torch.compare(lambda x: x.exp(), lambda x: x.flatten(), x))


class Notebook(unittest.TestCase):
    def test_the_magic_runs_its_cell_under_glass(self):
        class Shell:
            def __init__(self):
                self.user_ns, self.magics = {"torch": torch, "x": torch.ones(2)}, {}

            def register_magic_function(self, function, kind, name):
                self.magics[kind, name] = function

            def run_cell(self, cell):
                exec(compile(cell, "<ipython-input-1>", "exec"), self.user_ns)

        shell, printed = Shell(), io.StringIO()
        torch.load_ipython_extension(shell)
        with contextlib.redirect_stdout(printed):
            shell.magics["cell", "glass"]("", "y = x * 3\nz = y + 1")
        self.assertIn("2 calls under glass", printed.getvalue())
        why = shell.user_ns["z"].why(0)
        self.assertTrue(why.startswith("z[0]\nfrom line 3\n"), why)  # line 1 is %%glass
        self.assertIn("y[0]", why)
        with self.assertRaises(ZeroDivisionError), contextlib.redirect_stdout(printed):
            shell.magics["cell", "glass"]("", "1 / 0")
        self.assertFalse(torch._C._nn.watching())
        self.assertIs(_glass.load_ipython_extension, torch.load_ipython_extension)


if __name__ == "__main__":
    unittest.main()
