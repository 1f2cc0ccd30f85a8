"""Lessons that are files: the program's own under many settings, and those of a reader: NAME.md, NAME.py."""
import concurrent.futures
import json
import os
import pathlib
import pty
import re
import subprocess
import tempfile
import unittest

from program import PROGRAM, ROOT, SANITIZED, glassgrad, learn, one_in

LESSONS = sorted(path.stem for path in (ROOT / "apps" / "lessons").glob("*.md"))
QUICK = {"gpt-attention": ["--width", "24", "--context", "16"], "gpt": ["--steps", "20"], "training": ["--steps", "20"]}
SIZES = {  # for lessons with sizes: three sets of different sizes
    "autograd.accumulate": [["--rows", "1"], ["--rows", "64"], ["--a", "1000", "--b", "1"]],
    "autograd.broadcast": [["--rows", "1"], ["--columns", "1"], ["--rows", "16", "--columns", "16"]],
    "autograd.matmul": [["--rows", "1"], ["--inner", "1"], ["--rows", "12", "--inner", "12", "--columns", "12"]],
    "autograd.order": [["--a", "1"], ["--b", "1000"], ["--a", "1000", "--b", "1000"]],
    "autograd.softmax": [["--size", "1"], ["--size", "2"], ["--size", "16"]],
    "cat": [["--d-out", "1"], ["--heads", "1"], ["--d-out", "7", "--heads", "3", "--dropout", "1"]],
    "choose.words": [["--steps", "0"], ["--top-k", "1", "--temperature", "0.05"], ["--top-p", "1", "--top-k", "8", "--temperature", "20"]],
    "climb": [["--context", "1"], ["--width", "1", "--head-size", "9"], ["--context", "9"]],
    "compare": [["--heads", "1"], ["--heads", "2"], ["--seed", "-1"]],
    "dropout.factor": [["--size", "1"], ["--dropout", "0"], ["--dropout", "1", "--size", "16"]],
    "errata": [["--dropout", "0"], ["--dropout", "0.9"], ["--dropout", "1"]],
    "experts": [["--top-k", "1"], ["--experts", "2", "--hidden", "1"], ["--experts", "16", "--top-k", "4", "--hidden", "16"]],
    "gpt": [["--steps", "0", "--heads", "1", "--width", "5"], ["--steps", "20", "--blocks", "3"], ["--steps", "20", "--width", "2"]],
    "gpt-attention": [["--d-out", "1"], ["--heads", "1", "--width", "5", "--context", "1"], ["--dropout", "1"]],
    "gpt.scalars": [["--steps", "1", "--width", "2"], ["--steps", "6", "--width", "8"], ["--steps", "20"]],
    "heads.grouped": [["--kv-heads", "1"], ["--kv-heads", "4", "--head-dim", "1"], ["--heads", "12", "--kv-heads", "3", "--head-dim", "8"]],
    "heads.same": [["--heads", "1"], ["--d-out", "1"], ["--heads", "16", "--d-out", "3"]],
    "journey": [["--d-out", "1", "--heads", "1"], ["--d-out", "12", "--heads", "3"], ["--dropout", "1"]],
    "kv.cache": [["--width", "1"], ["--layers", "1", "--written", "1"], ["--width", "16", "--layers", "3", "--written", "20"]],
    "lab": [["--d-out", "1", "--heads", "1"], ["--d-out", "9", "--heads", "3"], ["--dropout", "1", "--a", "1000"]],
    "latent": [["--heads", "1"], ["--head-dim", "8", "--latent", "2", "--rope", "4"], ["--heads", "8", "--latent", "32", "--rope", "8"]],
    "mask.five-ways": [["--d-out", "1"], ["--d-out", "3"], ["--d-out", "64"]],
    "mlp.gated": [["--width", "2", "--hidden", "1"], ["--width", "64"], ["--hidden", "64"]],
    "norm.rms": [["--width", "2", "--eps", "0"], ["--width", "64", "--factor", "0.001"], ["--eps", "1", "--factor", "1000"]],
    "position.rope": [["--width", "2", "--shift", "0"], ["--width", "32", "--base", "1000000"], ["--base", "1.5", "--shift", "1000"]],
    "mask.window": [["--window", "1"], ["--window", "16", "--layers", "1", "--sinks", "0"], ["--window", "2", "--layers", "6", "--sinks", "4"]],
    "scale.why": [["--width", "1"], ["--keys", "1"], ["--width", "512", "--keys", "16"]],
    "single-and-multi": [["--width", "1", "--heads", "1"], ["--width", "6", "--heads", "3"], ["--hidden", "1"]],
    "softmax.online": [["--width", "1"], ["--tile", "1", "--width", "16"], ["--tile", "16"]],
    "text.tokens": [["--merges", "0"], ["--merges", "3", "--width", "1"], ["--width", "64"]],
    "training": [["--steps", "2"], ["--steps", "3", "--width", "2", "--lr", "0"], ["--steps", "20", "--width", "6", "--dropout", "1"]],
    "weights.shared": [["--width", "2", "--rank", "1"], ["--width", "32"], ["--rank", "8"]],
}
NO_SEED = ["autograd.order"]

LESSON = """# How far a step goes

```lesson
understand: how the learning rate decides where descent ends
minutes: 5
rate: 0.0..10.0, learning rate
steps: 1.., steps of descent
shift: ..5, where the bowl begins
```

```python hidden
import torch
```

### The slope {#slope #hill}

A parabola, as [the mask](journey.md#masked-scores) is none.

```python ours
x = torch.tensor([3.0, -1.0], requires_grad=True)  # (corner)
centre = 1  #: shift
loss = ((x - centre)**2).sum()
loss.backward()
print(loss)
```

### A few steps {#steps}

```python ours
for _ in range(5):  #: steps
    with torch.no_grad():
        x -= 0.1 * x.grad  #: rate
    x.grad = None
    ((x - centre)**2).sum().backward()
end = ((x - centre)**2).sum()
```

::: if end < loss
The loss fell from {loss} to {end}.
::: else
The loss went up to {end}.
:::
"""

PROGRAM_FILE = """#!/usr/bin/env python3
import torch

# Two rows of {three} numbers.
a = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
for k in range(2):
    b = a * k
print("sum:", b.sum())
total = b.sum()
total.backward()
"""


def at_once(runs):
    """The results of `learn(*arguments, lesson=lesson)`, two at a time."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda run: (run, learn(*run[1], lesson=run[0])), runs))


class OwnLessons(unittest.TestCase):
    def check(self, runs):
        for (lesson, flags), run in at_once(runs):
            self.assertEqual((run.code, run.err), (0, ""), (lesson, flags))

    def test_nothing_is_wrong_with_them(self):
        lessons = [lesson for lesson in LESSONS if not SANITIZED or lesson not in ("gpt", "training")]  # these train for minutes
        for (lesson, _), run in at_once([(lesson, ["--lint"]) for lesson in lessons]):
            self.assertEqual((run.code, run.out, run.err), (0, "", ""), lesson)

    def test_under_many_seeds(self):
        self.check([(lesson, [*QUICK.get(lesson, []), "--list", "--seed", seed])
                    for lesson in LESSONS if lesson not in NO_SEED for seed in range(1 if SANITIZED else 20 // one_in(4))])

    def test_with_other_sizes(self):
        whole = ["--list"] if SANITIZED else ["--html", "-"]  # a page shows all of a lesson; some sizes leave a tensor empty
        self.check([(lesson, [*([] if {"--width", "--steps"} & {*flags} else QUICK.get(lesson, [])), *whole, *flags])
                    for number, (lesson, all_flags) in enumerate(SIZES.items())
                    for flags in (all_flags[number % 3:][:1] if SANITIZED else all_flags)])

    def test_with_three_numbers_changed(self):
        wanted = 1 if SANITIZED else 3
        for lesson in LESSONS[::3 if SANITIZED else 1]:
            steps = json.loads(learn("--format", "json", *QUICK.get(lesson, []), lesson=lesson).out)["steps"]
            cells = [f"{step['id']}:{tensor['name']}[{','.join('0' for _ in tensor['shape'])}]".replace("[]", "")
                     for step in steps for tensor in step["tensors"] if "float" in tensor["dtype"]]
            done, at = 0, 0
            while done < wanted and at < len(cells):
                run = learn("--list", *QUICK.get(lesson, []), "--set", f"{cells[at]}=0.25", lesson=lesson)
                reached = not re.search("no change reaches it|nothing comes of it", run.err)
                if reached:
                    self.assertEqual((run.code, run.err), (0, ""), (lesson, cells[at]))
                done += reached
                at += max(1, len(cells) // 4) if reached else 1
            self.assertEqual(done, wanted, lesson)

    @unittest.skipIf(SANITIZED, "a minute each time, and steps are those of a short training")
    def test_of_a_long_training_the_first_steps_can_be_opened(self):
        self.assertIn("m2 = mul + mul'\n", glassgrad("why", "training", "second-step:m2").out)
        self.assertIn("not kept: it was computed in a long training", glassgrad("why", "training", "loop:losses[299]").out)
        # A second run that leaves out the same calls finds a call by its number.
        moved = learn("--set", "weights:storms=0.25", "--from", "weights", "--to", "weights", lesson="training")
        self.assertRegex(moved.out, r"storms  \(\)\ntensor\(0\.2500\)\nchanged: storms 0\.99\d\d -> 0\.2500")

    @unittest.skipIf(SANITIZED, "a minute each time, and steps are those of a short training")
    def test_a_vector_of_steps_is_a_curve(self):
        spoken = learn("--speak", "--from", "loop", "--to", "loop", lesson="training").out
        self.assertRegex(spoken, r"losses has shape \(step=300\)\.\nStep 1: 3\.74, step 75: .*, step 300: 0\.[67]\d\.\n")

    def test_each_shows_its_own_flags(self):
        for lesson in LESSONS:
            text = (ROOT / "apps" / "lessons" / f"{lesson}.md").read_text()
            header = re.search(r"^```lesson\n(.*?)^```", text, re.M | re.S)[1]
            names = ["--" + name.replace("_", "-") for name in re.findall(r"^(\w+): \S*\.\.\S*,", header, re.M)]
            for command in "learn", "why", "graph":
                shown = glassgrad(command, lesson, "--help").out.partition("Settings of")[2]
                self.assertEqual(re.findall(r"^  (--[a-z0-9-]+)", shown, re.M), names, (command, lesson))
        self.assertNotIn("--seed ", glassgrad("learn", "--help").out)
        run = learn("--a", "3")
        self.assertEqual(run.code, 2)
        self.assertIn("the lesson journey has no --a; it has --seed, ", run.err)

    def test_old_addresses(self):
        moved = "fixed-size-state is in the lesson rnn.why now: glassgrad "
        for arguments, words in [(("learn", "journey", "--from", "fixed-size-state"), "learn rnn.why --from fixed-size-state"),
                                 (("why", "journey", "fixed-size-state:states[0,1]"), "why rnn.why fixed-size-state:states[0,1]")]:
            run = glassgrad(*arguments)
            self.assertEqual((run.code, run.err), (2, f"glassgrad: {moved}{words}\n"))

    def test_every_lesson_as_a_notebook(self):
        for lesson in LESSONS:
            notebook = json.loads(learn("--format", "notebook", *QUICK.get(lesson, []), lesson=lesson).out)
            self.assertEqual(notebook["nbformat"], 4)
            kinds = [cell["cell_type"] for cell in notebook["cells"]]
            self.assertTrue({"markdown", "code"} <= set(kinds), lesson)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, text, name="my.md"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def test_a_lesson(self):
        file = self.file(LESSON)
        for flags in [], ["--plain"], ["--list"], ["--backward"], ["--speak"], ["--format", "markdown"], ["--html", "-"], \
                ["--outputs", "--rate", "0.5"], ["--steps", "100"], ["--set", "slope:x[0]=7"], ["--lint"]:
            run = learn(*flags, lesson=file)
            self.assertEqual((run.code, run.err), (0, ""), flags)
        text = learn(lesson=file).out
        self.assertIn("--- my 1/2, step slope", text)
        self.assertIn("The loss fell from 8.0000 to 0.8590.", text)
        self.assertIn("The loss went up to", learn("--rate", "2", lesson=file).out)
        self.assertIn(f"glassgrad learn {file} --rate 2 --from steps --to steps",
                      learn("--rate", "2", "--from", "steps", lesson=file).out)
        self.assertEqual(learn("--from", "hill", "--to", "slope", "--list", lesson=file).out.split()[1], "slope")
        self.assertEqual(learn("--outputs", lesson=file).out, "tensor(8., grad_fn=<SumBackward0>)\n")
        for command in ["why", file, "hill:loss", "--rate", "0.3"], ["gradcheck", file], ["graph", file], \
                ["docs", f"{file}#steps"]:
            run = glassgrad(*command)
            self.assertEqual((run.code, run.err), (0, ""), command)
        run = glassgrad("diff", file, f"{file} --steps 6")
        self.assertEqual(run.code, 1)
        self.assertIn("first steps:x", run.err)

    def test_ranges(self):
        file = self.file(LESSON)
        for flag, value, takes in [("--rate", "10.5", "a number from 0 to 10"), ("--rate", "nan", "a number from 0 to 10"),
                                   ("--steps", "0", "an integer of at least 1"), ("--steps", "1.5", "an integer of at least 1"),
                                   ("--shift", "6", "an integer of at most 5")]:
            run = learn(flag, value, lesson=file)
            self.assertEqual((run.code, run.err), (2, f"glassgrad: {flag} takes {takes}, not '{value}'\n"))
        self.assertIn("centre = -3\n", learn("--shift", "-3", "--format", "python", lesson=file).out)

    def test_as_a_program(self):
        code = learn("--rate", "1", "--format", "python", lesson=self.file(LESSON)).out
        self.assertIn("        x -= 1.0 * x.grad\n", code)
        self.assertNotIn("#", code)
        compile(code, "my.py", "exec")
        again = learn("--outputs", lesson=self.file(code, "again.py"))
        self.assertEqual((again.code, again.out), (0, "tensor(8., grad_fn=<SumBackward0>)\n"))
        rows = self.file("0.1, -inf, 1e-9\n0.43, 0.5, 7\n", "rows.csv")
        code = learn("--inputs", rows, "--format", "python").out
        self.assertIn("inputs = torch.tensor(\n    [[0.1, float('-inf'), 1e-09],\n     [0.43, 0.5, 7.0]])\n", code)
        for other in ["--from", "2"], ["--set", "inputs[0,0]=1"], ["--weights", f"W_query={rows}"]:
            self.assertEqual(learn(*other, "--format", "python").code, 2, other)
        notebook = json.loads(learn("--format", "notebook", lesson=self.file(LESSON)).out)
        self.assertTrue(any("The loss fell from 8.0000 to 0.8590." in cell["source"] for cell in notebook["cells"]))

    def test_a_plain_program(self):
        file = self.file(PROGRAM_FILE, "plain.py")
        listed = learn("--list", lesson=file)
        self.assertEqual((listed.code, listed.err), (0, ""))
        self.assertEqual(re.findall(r"line-\d+", listed.out), ["line-2", "line-5", "line-6", "line-8", "line-9", "line-10"])
        self.assertEqual(learn("--outputs", lesson=file).out, "sum: tensor(21., grad_fn=<SumBackward0>)\n")
        self.assertIn("Two rows of {three} numbers.", learn(lesson=file).out)
        self.assertIn("= 6.", glassgrad("why", file, "line-6:b[1,2]").out)
        self.assertIn("total 21.0000 -> 26.0000", learn("--set", "line-5:a[1,2]=11", lesson=file).out)
        self.assertEqual(glassgrad("gradcheck", file).code, 0)
        self.assertEqual(learn("--lint", lesson=file).code, 0)

    def test_a_gradient_that_is_retained_is_the_same_where_steps_go_backward_too(self):
        file = self.file("import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 3\ny.retain_grad()\nloss = (y ** 2).sum()\n"
                         "loss.backward()\n", "kept.py")
        for flags in [], ["--step", "--no-state"]:
            self.assertIn("y.grad  (2,)\ntensor([6., 6.])", learn(*flags, "--from", "line-6", lesson=file).out, flags)

    def test_lint(self):
        for change, problem in [
                (("end < loss", "end < los"), "my.md:38: NameError: name 'los' is not defined"),
                (("went up to {end}", "went up to {end"), "my.md:41: a { has no }"),
                (("::: if end < loss", "::: claim end > loss"), "my.md:38: this claim does not hold: end > loss"),
                (("journey.md#masked-scores", "journey.md#nowhere"), "my.md:17: this link leads nowhere, journey.md#nowhere: journey.md has no step nowhere"),
                (("journey.md#masked-scores", "#nowhere"), "my.md:17: this link leads nowhere, #nowhere: my.md has no step nowhere"),
                (("journey.md#masked-scores", "none.md"), "my.md:17: this link leads nowhere, none.md: there is no none.md"),
                (("journey.md#masked-scores", "journey.md#fixed-size-state"), "my.md:17: this link leads nowhere, journey.md#fixed-size-state: the step fixed-size-state is in rnn.why.md now"),
                (("# (corner)", "# (corner, edge)"), "my.md:20: "),
                (("print(loss)", "print(lost)"), "my.md:24: NameError: name 'lost' is not defined")]:
            if change[1].startswith("::: claim"):
                text = LESSON.replace(*change).replace("::: else\nThe loss went up to {end}.\n", "")
            else:
                text = LESSON.replace(*change)
            self.file(text)
            run = glassgrad("learn", "my.md", "--lint", cwd=self.folder)
            self.assertEqual((run.code, run.out.count("\n")), (1, 1), (change, run.out, run.err))
            self.assertTrue(run.out.startswith(problem), (run.out, problem))
            self.assertEqual(run.err, "glassgrad: my.md has 1 problem\n")

    def test_what_is_no_lesson(self):
        for name, text, words in [
                ("a.md", "", "a.md:1: a lesson begins with its title: # Title"),
                ("a.md", LESSON.replace("minutes: 5\n", ""), "a.md:3: minutes: how long it takes"),
                ("a.md", LESSON.replace("  #: rate", ""), "a.md:6: no line is marked #: rate"),
                ("a.md", LESSON.replace("0.0..10.0", "0.2..10.0"), "a.md:6: --rate takes a number from 0.2 to 10, and its default is 0.1"),
                ("a.md", LESSON.replace("0.0..10.0", "9.0..1.0"), "a.md:6: LOW is above HIGH"),
                ("a.md", LESSON.replace("rate", "plain"), "a.md:6: --plain is a flag of `learn` already: give the setting a different name"),
                ("a.md", LESSON.replace("A parabola", "A \x1b[31mparabola"), "a.md:17: there is a control character here, or bytes that are no UTF-8"),
                ("a.md", b"# A\xff\n", "a.md:1: there is a control character here, or bytes that are no UTF-8"),
                ("a.md", LESSON.replace("range(5)", "range(-5.5)"), "a.md:7: --steps takes an integer of at least 1, and its default is -5.5"),
                ("a.py", "", "a.py:1: there is no statement in this program"),
                ("a.py", "if 1:\nx = 1\n", "a.py:2: expected an indented block after 'if' statement on line 1"),
                ("a.py", "x = 1\nprint(y)\n", "a.py:2: NameError: name 'y' is not defined"),
                ("a.py", "import subprocess\n", "a.py:1: "),
                ("b.md", None, "b.md: cannot be opened: No such file or directory")]:
            if text is not None:
                self.file(text, name)
            for command in ["learn", name], ["why", name, "slope:x[0]"], ["gradcheck", name], ["graph", name]:
                if "flag of `learn`" in words and command[0] != "learn":
                    continue
                run = glassgrad(*command, cwd=self.folder)
                self.assertEqual((run.code, run.out), (1, ""), (command, words, run.err))
                self.assertTrue(run.err.startswith(f"glassgrad: {words}"), (command, words, run.err))
        self.assertEqual(learn("--bug", "list", lesson=self.file(LESSON)).code, 0)
        self.assertEqual(learn("--bug", "no-scale", lesson=self.file(LESSON)).code, 2)

    def test_nothing_of_a_strangers_file_moves_the_cursor(self):
        evil = r"\x1b]0;evil\x07\x1b[2J\u202e"
        lesson = LESSON.replace("print(loss)", f'print("{evil}", loss)\nname = "{evil}"') \
            .replace("The loss fell from", "The loss {name} fell from") + \
            f"""
### It ends {{#end}}

```python ours raises ValueError
raise ValueError("{evil}")
```

It says {{error}}.
"""
        program = PROGRAM_FILE + f'print("{evil}")\nraise ValueError("{evil}")\n'
        for name, text, codes in ("evil.md", lesson, [0]), ("evil.py", program, [1]):
            file = self.file(text, name)
            for flags in [], ["--plain"], ["--outputs"], ["--list"], ["--speak"], ["--format", "markdown"], ["--no-state", "--step"]:
                code, shown = self.on_a_terminal("learn", file, *flags)
                self.assertIn(code, codes, (name, flags, shown))
                self.assertTrue(b"evil" in shown or flags in (["--list"], ["--no-state", "--step"]), (name, flags, shown))
                for bad in b"\x1b]0", b"\x07", b"\x1b[2J\xe2", "\u202e".encode():
                    self.assertNotIn(bad, shown, (name, flags))

    def on_a_terminal(self, *arguments):
        """What a terminal gets; q is typed."""
        keyboard, terminal = pty.openpty()
        environment = dict(os.environ, TERM="xterm")
        run = subprocess.Popen([PROGRAM, *arguments], stdin=terminal, stdout=terminal, stderr=terminal, env=environment,
                               start_new_session=True)
        os.close(terminal)
        os.write(keyboard, b"q\n")
        shown = b""
        try:
            while piece := os.read(keyboard, 65536):
                shown += piece
        except OSError:
            pass
        os.close(keyboard)
        return run.wait(60), shown


if __name__ == "__main__":
    unittest.main()
