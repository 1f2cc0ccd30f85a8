"""python3 -m glassgrad --glass: a script runs as it is, and every number that it computed can be opened."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from module import glassgrad

ATTENTION = """\
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.W_query = nn.Linear(d, d, bias=False)
        self.W_key = nn.Linear(d, d, bias=False)

    def forward(self, x):
        q = self.W_query(x)
        k = self.W_key(x)
        weights = torch.softmax(q @ k.T / 2**0.5, dim=-1)
        return weights @ x


torch.manual_seed(3)
x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [0.5, -1.0]])
attention = Attention(2)
optimizer = torch.optim.SGD(attention.parameters(), lr=0.1)
for step in range(3):
    context = attention(x)
    loss = context.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
y = x
row = x[1]
"""
LINES = {name: number for number, line in enumerate(ATTENTION.splitlines(), 1)
         for name in [line.strip().partition(" = ")[0]] if " = " in line}
LOOP = """\
import torch
w = torch.ones(2, 2, requires_grad=True)
for i in range({rounds}):
    loss = ((w * w).sum() - i) ** 2
    w.grad = None
    loss.backward()
    with torch.no_grad():
        w -= 0.001 * w.grad
"""


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def script(self, source, name="s.py"):
        path = self.folder / name
        path.write_text(source)
        return path

    def glass(self, source, *options, **more):
        return glassgrad("--glass", *options, self.script(source), **more)

    def steps(self, source, *options):
        done = self.glass(source, *options, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {step["id"]: {t["name"]: t for t in step["tensors"]} for step in json.loads(done.stdout)["steps"]}

    def text(self, source, *options):
        done = self.glass(source, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout


class Lines(InFolder):
    def test_each_line_shows_what_it_bound(self):
        steps = self.steps(ATTENTION)
        self.assertEqual(list(steps["s-%d" % LINES["q"]]), ["q"])
        self.assertEqual(list(steps["s-%d" % LINES["self.W_query"]]), ["self.W_query.weight"])
        self.assertEqual(list(steps["s-%d" % LINES["x"]]), ["x"])
        self.assertEqual(steps["s-%d" % LINES["x"]]["x"]["data"][1], [3.0, 4.0])
        self.assertEqual(list(steps["s-11"]), ["x"])  # the start of the call of forward
        self.assertEqual(list(steps["s-15"]), ["return"])
        self.assertIn("s-%d.3" % LINES["loss"], steps)
        self.assertNotIn("s-%d.4" % LINES["loss"], steps)
        self.assertEqual(list(steps["s-27"]), ["attention.W_query.weight", "attention.W_key.weight"])

    def test_names_for_the_same_memory_are_told(self):
        text = self.text(ATTENTION, "--from", "s-%d" % LINES["y"])
        self.assertIn("y and x are two names for the same numbers", text)
        self.assertIn("row looks at the memory of x", text)

    def test_a_name_stands_at_the_line_that_gave_it(self):
        steps = self.steps("import torch\nx = torch.ones(2)\ny = x\nz = x + 1\nx.add_(1)\nl = [z, z * 2]\nd = {'k': x * 3}\n")
        self.assertEqual({step: list(names) for step, names in steps.items()},
                         {"s-2": ["x"], "s-3": ["y"], "s-4": ["z"], "s-5": ["x", "y"], "s-6": ["l[1]"], "s-7": ["d['k']"]})

    def test_what_is_printed_stands_beside_its_line(self):
        text = self.text("import torch\nx = torch.ones(2)\nprint('sum', x.sum().item())\n", "--from", "s-3")
        self.assertIn("3 > print('sum', x.sum().item())", text)
        self.assertIn("\nsum 2.0\n", text)

    def test_loops_and_calls(self):
        text = self.text(ATTENTION, "--from", "s-%d.2" % LINES["q"], "--to", "s-%d.2" % LINES["q"])
        self.assertIn(f"In Attention.forward, called by line {LINES['context']}.", text)
        text = self.text(ATTENTION, "--from", "s-%d.2" % LINES["loss"], "--to", "s-%d.2" % LINES["loss"])
        self.assertIn("Round 2 of the loop in line 22 (step = 1).", text)

    def test_statements_of_several_lines(self):
        steps = self.steps("import torch\nx = torch.add(\n    torch.ones(2),\n    torch.ones(2)\n)\ny = [x + i\n     for i in range(2)]\n")
        self.assertEqual({step: list(names) for step, names in steps.items()}, {"s-2": ["x"], "s-6": ["y[0]", "y[1]"]})

    def test_other_files_of_the_program(self):
        self.script("import torch\ndef double(v):\n    r = v * 2\n    return r\n", "part.py")
        steps = self.steps("import torch, part\nx = part.double(torch.ones(2))\n")
        self.assertEqual({step: list(names) for step, names in steps.items()},
                         {"part-2": ["v"], "part-3": ["r"], "s-2": ["x"]})


class Opened(InFolder):
    def test_a_number_down_to_its_inputs(self):
        at = "s-%d:weights[1,0]" % LINES["weights"]
        text = self.text(ATTENTION, "--why", at)
        self.assertTrue(text.startswith(at + ": index 1, index 0\nsoftmax"), text)
        text = self.text(ATTENTION, "--why", "s-%d:q[1,0]" % LINES["q"])
        self.assertIn("self.W_query.weight[0,0]", text)
        self.assertIn("x[1,0]", text)

    def test_items_of_lists_and_dicts_that_are_single_numbers(self):
        source = "import torch\nw = torch.tensor(2.0)\nl = [w * i for i in range(3)]\nd = {'k': w * 5, 3: w * torch.ones(2)}\n"
        for address, value in [("s-3:l[1]", "2."), ("l[2]", "4."), ("s-4:d['k']", "10."), ("s-4:d[3][1]", "2.")]:
            self.assertTrue(self.text(source, "--why", address).endswith(f"\n= {value}\n"), address)

    def test_gradients(self):
        text = self.text(ATTENTION, "--list", "--backward")
        self.assertIn("backward-1", text)
        self.assertIn("The loss and its gradient", text)
        grad = self.text(ATTENTION, "--why", "s-26:attention.W_query.weight.grad[0,1]")
        self.assertIn("mm", grad)

    def test_what_if(self):
        at = "s-%d" % LINES["x"]
        before, now = self.steps(ATTENTION), self.steps(ATTENTION, "--set", f"{at}:x[0,1]=5")
        self.assertEqual(now[at]["x"]["data"][0], [1.0, 5.0])
        loss = "s-%d" % LINES["loss"]
        self.assertNotEqual(before[loss]["loss"]["data"], now[loss]["loss"]["data"])
        changed = self.script(ATTENTION.replace("[[1.0, 2.0]", "[[1.0, 5.0]"))
        done = glassgrad("--glass", "--format", "json", changed)
        by_hand = {s["id"]: {t["name"]: t["data"] for t in s["tensors"]} for s in json.loads(done.stdout)["steps"]}
        self.assertEqual({step: {name: t["data"] for name, t in tensors.items()} for step, tensors in now.items()}, by_hand)
        weights = "s-%d:weights[2,2]" % LINES["weights"]
        now = self.steps(ATTENTION, "--set", f"{weights}=0")
        self.assertEqual(now[weights.partition(":")[0]]["weights"]["data"][2][2], 0.0)
        text = self.text(ATTENTION, "--set", f"{weights}=0", "--why", "s-15:return[2,0]")
        self.assertIn("weights[2,2]", text)

    def test_a_program_that_writes_files_is_not_run_again_unasked(self):
        source = f"import torch\nx = torch.ones(2)\nopen({str(self.folder / 'out')!r}, 'a').write('x')\ny = x * 2\n"
        done = self.glass(source, "--plain", "--set", "s-2:x[0]=3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("writes", done.stderr)
        self.assertEqual((self.folder / "out").read_text(), "x")
        done = self.glass(source, "--plain", "--again", "--set", "s-2:x[0]=3")
        self.assertIn("tensor([6., 2.])", done.stdout)
        self.assertEqual((self.folder / "out").read_text(), "xxx")


class Kept(InFolder):
    def test_the_last_rounds(self):
        steps = self.steps(LOOP.format(rounds=40), "--keep", "3")
        self.assertEqual([s for s in steps if s.startswith("s-4")], ["s-4.38", "s-4.39", "s-4.40"])
        all_steps = self.steps(LOOP.format(rounds=40))
        self.assertEqual(steps["s-4.39"]["loss"]["data"], all_steps["s-4.39"]["loss"]["data"])
        text = self.text(LOOP.format(rounds=40), "--keep", "3", "--why", "s-4.38:loss")
        self.assertIn("w[0,0]", self.text(LOOP.format(rounds=40), "--keep", "3", "--why", "s-4.38:loss", "--depth", "4"))
        self.assertIn("square: x * x", text)

    def test_some_rounds(self):
        steps = self.steps(LOOP.format(rounds=20), "--keep", "5..6")
        self.assertEqual([s for s in steps if s.startswith("s-4")], ["s-4.5", "s-4.6"])

    def test_what_if_in_a_kept_round(self):
        steps = self.steps(LOOP.format(rounds=20), "--keep", "2", "--set", "s-4.19:loss=0")
        self.assertEqual(steps["s-4.19"]["loss"]["data"], 0.0)


class Endings(InFolder):
    def test_an_exception(self):
        source = "import torch\ndef f(v):\n    u = v + 1\n    return u @ torch.ones(3)\nx = torch.ones(2)\ny = f(x)\n"
        plain = glassgrad(self.script(source))
        done = self.glass(source)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, plain.stderr)
        self.assertIn("4 >     return u @ torch.ones(3)", done.stdout)
        self.assertIn("RuntimeError", done.stdout)
        self.assertIn("s-3", done.stdout)

    def test_exit_codes(self):
        self.assertEqual(self.glass("import torch, sys\nx = torch.ones(1)\nsys.exit(3)\n", "--list").returncode, 3)
        done = self.glass("print(1)\n", "--list")
        self.assertEqual(done.returncode, 0)
        done = self.glass("1\n", "--list")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has done nothing to a tensor", done.stderr)

    def test_wrong_options(self):
        path = self.script("1")
        for options, text in [(["--glass", "--keep", "x"], "--keep takes a number"), (["--list"], "--list goes with --glass"),
                              (["--glass", "--keep", "5..2"], "goes from a round to an earlier one"),
                              (["--glass", "--plain", "--list"], "exclude each other"), (["--glass", "--format", "xml"], "not xml")]:
            done = glassgrad(*options, path)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(text, done.stderr)


class Programs(InFolder):
    """What programs do beside computing: the output is that of the run without glass."""

    def same_output(self, source, *arguments, **more):
        path = self.script(source)
        plain = glassgrad(path, *arguments, **more)
        page = self.folder / "page.html"
        seen = glassgrad("--glass", "--html", page, path, *arguments, **more)
        self.assertEqual(plain.returncode, seen.returncode, seen.stderr)
        self.assertTrue(seen.stdout.startswith(plain.stdout), seen.stdout)
        return page.read_text() if page.exists() else ""

    def test_output_is_the_same_and_a_page_is_written(self):
        page = self.same_output(ATTENTION)
        self.assertIn("self.W_query.weight", page)
        self.assertIn("python3 -m glassgrad --glass", page)

    def test_hard_cases(self):
        self.same_output("""\
import sys, threading, torch
def generate(n):
    for i in range(n):
        yield torch.full((2,), float(i)) * 2
total = torch.zeros(2)
for item in generate(3):
    total = total + item
print(total)
def deep(n, x):
    return x + 1 if n == 0 else deep(n - 1, x * 1.0)
print(deep(900, torch.ones(1)))
def work():
    results.append(torch.ones(3).sum().item())
results = []
thread = threading.Thread(target=work)
thread.start(); thread.join()
print(results)
x = torch.ones(3, requires_grad=True)
x.register_hook(lambda g: g * 2)
v = (x * 1)[:2]
v.mul_(3)
v.sum().backward()
print(x.grad)
with torch.no_grad():
    x.zero_()
del v
print(x, sys.stdin.read())
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a
    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]
z = torch.ones(2, requires_grad=True)
Square.apply(z).sum().backward()
print(z.grad, torch.autograd.grad((z * z).sum(), z))
(z * 2).backward(torch.tensor([1.0, 3.0]))
try:
    torch.ones(2) @ torch.ones(3)
except RuntimeError as error:
    print(error)
""", input="typed", stdin=None)


if __name__ == "__main__":
    unittest.main()
