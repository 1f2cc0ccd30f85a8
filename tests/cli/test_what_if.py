#!/usr/bin/env python3
"""What if: numbers of a lesson that are set to others, and classic mistakes beside the right computation."""
import copy
import json
import math
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from lesson import flat
from program import PATIENCE, PROGRAM, SANITIZED, glassgrad, learn
from terminal import Terminal

MISTAKES = ["view-first", "softmax-dim0", "no-scale", "scale-model", "scale-twice", "mask-zero", "mask-after",
            "dropout-no-scale", "no-topo", "no-zero-grad"]


def tensors(out):
    """{"step:tensor": tensor} of a lesson as JSON."""
    return {f"{step['id']}:{t['name']}": t for step in json.loads(out)["steps"] for t in step["tensors"]}


def json_of(*arguments, **options):
    run = learn("--format", "json", *arguments, **options)
    assert (run.code, run.err) == (0, ""), run.err
    return json.loads(run.out), tensors(run.out)


def indices(shape):
    return [[]] if not shape else [[i, *rest] for i in range(shape[0]) for rest in indices(shape[1:])]


def words(text):
    """Without line breaks and Markdown's marks."""
    return re.sub(r"\s+", " ", re.sub(r"[`\\]", "", text))


class Set(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = json_of()[1]

    def test_what_follows_is_recomputed(self):
        whole, now = json_of("--set", "masked[2,1]=0.9")
        masked, weights = now["masked-scores:masked"], now["masked-softmax:attn_weights"]
        self.assertEqual(masked["changed"], [[2, 1]])
        self.assertAlmostEqual(masked["data"][2][1], 0.9, places=6)
        row = [math.exp(x / math.sqrt(2)) for x in masked["data"][2][:3]]
        for got, want in zip(weights["data"][2], [e / sum(row) for e in row] + [0, 0, 0]):
            self.assertLess(abs(got - want), 1e-6)
        self.assertEqual(weights["changed"], [[2, 0], [2, 1], [2, 2]])
        changes = whole["changes"]
        self.assertEqual((changes["set"], changes["first_step"]),
                         (["masked-scores:masked[2,1] 0.1703 -> 0.9000"], "masked-scores"))
        self.assertEqual(changes["largest"]["cell"], "masked-softmax:scaled_scores[2,1]")
        steps = {name.split(":")[0] for name, t in now.items() if "changed" in t}
        self.assertEqual(changes["steps_alike"], len(whole["steps"]) - len(steps))

    def test_every_change_is_marked_and_nothing_else(self):
        for change in "inputs[1,2]=-1", "W_query[0,0]=2", "masked-scores:mask[4,0]=1", "masked[0,0]=nan":
            now = json_of("--set", change)[1]
            self.assertEqual(now.keys(), self.base.keys())
            different = 0
            for name, t in now.items():
                before, after = flat(self.base[name]["data"]), flat(t["data"])
                cells = [i for i, a, b in zip(indices(t["shape"]), before, after) if a != b]
                self.assertEqual(t.get("changed", []), cells, (change, name))
                different += len(cells)
            self.assertGreater(different, 3, change)

    def test_an_input_is_what_the_file_would_give(self):
        rows = copy.deepcopy(self.base["inputs:inputs"]["data"])
        rows[1][2] = -1
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "x.csv"
            table.write_text("\n".join(",".join(map(repr, row)) for row in rows))
            own = json_of("--inputs", table, "--tokens", "Your,journey,starts,with,one,step")[1]
        for name, t in json_of("--set", "inputs[1,2]=-1")[1].items():
            self.assertEqual(t["data"], own[name]["data"], name)

    def test_several_and_a_weight_before_them(self):
        now = json_of("--set", "masked[2,1]=-inf", "--set", "attn_weights[0,0]=0.25", "--set", "masked[2,1]=7")[1]
        self.assertEqual(now["masked-scores:masked"]["data"][2][1], 7)
        one, other = ["--set", "masked[3,3]=inf"], ["--set", "sa_v2:W_query.weight[0,0]=0.5"]
        name = next((n for n in self.base if n.endswith(":W_query.weight")), None)
        other[1] = f"{name}[0,0]=0.5"
        first, second = json_of(*one, *other)[1], json_of(*other, *one)[1]
        self.assertEqual(first, second)
        self.assertEqual(first["masked-scores:masked"]["data"][3][3], "Infinity")

    def test_values(self):
        for given, shown in ("inf", "inf"), ("-INF", "-inf"), ("nan", "nan"), ("1e-3", "0.0010"), ("-0.5", "-0.5000"):
            out = learn("--from", "masked-scores", "--to", "masked-scores", "--set", f"masked[1,0]={given}").out
            self.assertIn(f"changed: 1 of 36 cells, masked[1,0] 0.4656 -> {shown}", out)
        self.assertIn("mask_bool[0,1] True -> False", learn("--set", "mask_bool[0,1]=false").out)
        self.assertIn("mask_bool[1,0] False -> True", learn("--set", "mask_bool[1,0]=1").out)

    def test_every_form_says_it(self):
        text = "3 of 36 cells, largest attn_weights[2,1] 0.3097 -> 0.4291"
        change = ["--set", "masked[2,1]=0.9", "--from", "masked-softmax", "--to", "masked-softmax"]
        for form, mark in ([], "changed: "), (["--plain"], "# changed: "), (["--speak"], "Changed: "):
            out = learn(*form, *change).out
            self.assertIn(f"\n{mark}{text}", out)
            self.assertIn("62 of 66 steps are as they were.", words(out))
        self.assertIn("*Changed: 3 of 36 cells", learn("--format", "markdown", *change).out)
        self.assertNotIn("hanged", learn("--outputs", *change).out)

    def test_a_number_that_the_program_writes_out(self):
        for lesson in "autograd.order", "autograd.accumulate":
            for value, shown in ("2.5", "2.5000"), ("1e34", "1.0000e+34"), ("-inf", "-inf"):
                run = learn("--set", f"a={value}", lesson=lesson)
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertIn(f"Set: question:a 2.0000 -> {shown}.", words(run.out))
                self.assertRegex(run.out, rf"(?m)^a  \(.*\)\ntensor\({value.replace('1e34', '1.0000e.34')}")

    def test_what_changes_nothing(self):
        run = learn("--set", "masked[0,1]=-inf", "--to", "1")
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertIn("Nothing changes: all 66 steps are as they were.", words(run.out))

    def test_bad_changes(self):
        for change, words in {"masked[2,1]": "is not STEP:TENSOR[i,j]=V", "": "is not STEP", "=": "is not STEP",
                              "masked[2,1]=": "is not STEP", "masked[9,1]=1": "goes from 0 to 5", "masked[1]=1": "needs 2 ind",
                              "maskd[1,1]=1": "did you mean mask?", "maskedscores:masked[1,1]=1": "did you mean",
                              "masked[1,1]=one": "'one' is not a number", "masked[1,1]=1e39": "too large for a float32",
                              "mask_bool[0,0]=2": "is not a bool",
                              "dot-product:products[0]=1": "was computed for you to see, not by the program", "masked[1,1=1": "is not STEP"}.items():
            run = learn("--set", change)
            self.assertEqual((run.code, run.out, len(run.err.splitlines())), (2, "", 1), change)
            self.assertIn(words, run.err)
        run = learn("--set", "gpt-single-ids:inputs[0,2]=999", lesson="single-and-multi")
        self.assertEqual((run.code, run.out, len(run.err.splitlines())), (1, "", 1))
        self.assertRegex(run.err, r"\[0,2\]=999 the lesson cannot go on: single-and-multi\.md:\d+: IndexError: index out of range")


class Stepper(unittest.TestCase):
    def lines(self, commands, *flags):
        return subprocess.run([PROGRAM, "learn", "journey", "--step", *flags], input=commands, capture_output=True,
                              text=True, timeout=PATIENCE).stdout

    def test_line_by_line(self):
        before = self.lines("", "--from", "masked-scores")
        out = self.lines("set masked[2,1]=0.9\nreset\nreset\nset\nset masked[2,1]=x\nset masked[8,8]=1\n", "--from",
                         "masked-scores")
        self.assertTrue(out.startswith(before))
        self.assertIn("changed: 1 of 36 cells, masked[2,1] 0.1703 -> 0.9000", out)
        rest = out.split("--- journey")[3]
        self.assertNotIn("0.9000", rest)  # the change was undone
        for words in "Nothing is set.", "set needs a number", "'x' is not a number", "goes from 0 to 5":
            self.assertIn(words, rest)

    def test_on_the_screen(self):
        with Terminal("learn", "journey", "--from", "masked-scores", lines=46) as t:
            t.until("mask_bool", "Tab cells", "q quit")
            t.send("emasked[2,1]=0.9\r")
            t.until("~0.9000 ", "most masked-softmax:scaled_scores[2,1] 0.1204 -> 0.6364; r")
            t.send("r")
            t.until("As it was.", "0.1703")
            self.assertNotIn("~", "\n".join(t.screen.rows()))
            t.send("r")
            t.until("Nothing is set.")
            t.send("\te")
            t.until("mask[0,0] =")
            t.send("5x\r")
            t.until("'5x' is not a number")
            t.send("e5\r")
            t.until("[5.]", "r takes it back")
            t.send("e7")
            t.until("mask[0,0] = 7")
            t.send("\x1b")
            t.until("Tab back")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_keys_are_answered_while_it_computes(self):
        large = ["learn", "gpt-attention", "--context", 256, "--width", 192, "--from", "gpt-batch"]
        with Terminal(*large) as t:
            t.until("batch  (B=2 batch", "q quit")
            t.send("ebatch[0,0,0]=2\r?")
            t.until("any other key")
            t.send("?")
            t.until("1 changed")
            t.send("r")
            t.until("q quit", without="1 changed")
            t.send("]")
            t.until(" single-and-multi  1/")
            t.send("q")
            self.assertEqual(t.ended(), 0)
        for end, code in ("q", 0), ("\x03", 130):
            with Terminal(*large) as t:
                t.until("batch  (B=2 batch", "q quit")
                t.send("ebatch[0,0,0]=2\r" + end)
                self.assertEqual(t.ended(), code)


class Mistakes(unittest.TestCase):
    def bug(self, name, *arguments, lesson="journey"):
        """The step that shows it, and its tensors with those of the steps above it."""
        run = learn("--bug", name, "--format", "json", *arguments, lesson=lesson)
        self.assertEqual((run.code, run.err), (0, ""), name)
        step = json.loads(run.out)["steps"][-1]
        self.assertEqual(step["id"], name)
        return step, tensors(run.out)

    def test_each_differs_where_it_goes_wrong(self):
        names = [line.split()[0] for line in learn("--bug", "list").out.splitlines()]
        self.assertEqual([name for name in names if name in MISTAKES], MISTAKES)
        self.assertEqual(len(set(names)), len(names))
        firsts = ["head_queries", "weights", "weights", "weights", "weights", "masked_scores", "weights", "weights", "gradients",
                  "losses"]
        for name, first in zip(MISTAKES, firsts):
            step, all_tensors = self.bug(name)
            self.assertEqual(step["mistake"]["first"], f"{name}:wrong_{first}")
            for key, t in all_tensors.items():
                if ":wrong_" not in key:
                    continue
                right = all_tensors[key.replace(":wrong_", ":")]
                differ = [i for i, a, b in zip(indices(t["shape"]), flat([right["data"]]), flat([t["data"]])) if a != b]
                self.assertEqual(t.get("changed", []), differ, key)
            forms = [], ["--plain"], ["--speak"], ["--format", "markdown"]
            for form in forms[MISTAKES.index(name) % 4:][:1] if SANITIZED else forms:
                text = words(learn("--bug", name, *form).out)
                self.assertIn("wrong_" + first, text)
                if form != ["--plain"]:
                    for part in (step["mistake"]["what"], "Here are the inputs of", "What gives it away"):
                        self.assertIn(words(part), text, name)
                    for line in step["mistake"]["wrong"] + step["mistake"]["right"]:
                        self.assertIn(words(line.strip()), text, name)

    def test_a_lesson_shows_what_the_flag_shows(self):
        shown = learn("--bug", "mask-zero", lesson="lab").out
        program, mistake = (learn("--from", step, "--to", step, lesson="lab").out for step in ("program", "mask-zero"))
        self.assertEqual(shown, program + mistake)
        self.assertIn("\n  wrong: hides the future's scores with 0 instead of -inf before the softmax:\n"
                      "  ~ masked_scores = scaled_scores.masked_fill(future, 0)\n"
                      "      right: masked_scores = scaled_scores.masked_fill(future, -torch.inf)\n", mistake)
        self.assertIn("\nchanged: 15 of 36 cells, largest wrong_masked_scores[0,1] -inf -> 0.0000\n", mistake)

    def test_numbers(self):
        _, t = self.bug("view-first")
        q = t["program:queries"]["data"]
        for h in 0, 1:
            for i in range(6):
                self.assertEqual(t["view-first:head_queries"]["data"][h][i], q[i][2 * h:2 * h + 2])
                self.assertEqual(t["view-first:wrong_head_queries"]["data"][h][i], sum(q, [])[(h * 6 + i) * 2:][:2])
        _, t = self.bug("softmax-dim0")
        for column in zip(*t["softmax-dim0:wrong_weights"]["data"]):
            self.assertLess(abs(sum(column) - 1), 1e-5)
        _, t = self.bug("scale-twice")
        for wrong, scores in zip(t["scale-twice:wrong_weights"]["data"], t["program:attn_scores"]["data"]):
            exps = [math.exp(score / 4) for score in scores]
            for got, exp in zip(wrong, exps):
                self.assertLess(abs(got - exp / sum(exps)), 1e-6)
        _, t = self.bug("mask-after")
        for row in t["mask-after:weights"]["data"]:
            self.assertLess(abs(sum(row) - 1), 1e-5)
        _, t = self.bug("dropout-no-scale", "--dropout", 0.25)
        for right, wrong in zip(flat(t["dropout-no-scale:weights"]["data"]), flat(t["dropout-no-scale:wrong_weights"]["data"])):
            self.assertLess(abs(right * 0.75 - wrong), 1e-6)
        step, t = self.bug("no-topo")
        self.assertEqual([t[f"no-topo:{side}gradients"]["data"][0] for side in ("", "wrong_", "once_")], [25, 46, 4])
        self.assertIn("The central difference is 25.0000.", " ".join(step["said"]))
        _, t = self.bug("no-zero-grad")
        right, wrong = (t[f"no-zero-grad:{side}gradients"]["data"] for side in ("", "wrong_"))
        for got, one, two in zip(wrong[1], right[0], right[1]):
            self.assertLess(abs(got - one - two), 1e-6)

    def test_other_lessons_and_settings(self):
        for lesson in "gpt-attention", "single-and-multi", "cat", "climb":
            for name in "view-first", "mask-zero":
                self.assertTrue(self.bug(name, "--seed", 7, lesson=lesson)[0]["mistake"]["first"])
        for flags in ["--heads", 3], ["--d-out", 6, "--heads", 3], ["--dropout", 0.1]:
            self.assertTrue(self.bug("scale-model", *flags)[0]["mistake"]["first"], flags)
        for name, flags in ("scale-model", ["--heads", 1]), ("view-first", ["--heads", 1]), ("dropout-no-scale", ["--dropout", 0]):
            self.assertIsNone(self.bug(name, *flags)[0]["mistake"]["first"])
            self.assertIn("they cannot show the mistake", words(learn("--bug", name, *flags).out))
        own = self.bug("no-scale", lesson="autograd.order")  # without tokens: takes those of the mistake's lesson
        self.assertEqual(own, self.bug("no-scale", lesson="lab"))

    def test_the_program_goes_on_as_if_nothing_wrong_had_run(self):
        """Names, random numbers and what is exported."""
        lesson = """# Two lines

```lesson
understand: what a mistake leaves behind
minutes: 1
```

```python hidden
import torch
```

### One {#one}

```python
y = torch.rand(2)
z = y * 2  #: blank
```

%s### Two {#two}

```python
y = y + z
x = torch.rand(2)
```
"""
        mistake = "mistake: draws once more\n\n```python\nz = torch.rand(2) * y\n```\n\n"
        with tempfile.TemporaryDirectory() as folder:
            right, wrong = Path(folder, "right.md"), Path(folder, "wrong.md")
            right.write_text(lesson % "")
            wrong.write_text(lesson % mistake)
            runs = [json_of(lesson=str(path))[1] for path in (right, wrong)]
            self.assertEqual({k: v for k, v in runs[1].items() if ":wrong_" not in k}, runs[0])
            self.assertEqual([k for k in runs[1] if ":wrong_" in k], ["one:wrong_y", "one:wrong_z"])
            exported = [learn("--format", "python", lesson=str(path)).out for path in (right, wrong)]
            self.assertEqual(*exported)
            edit = subprocess.run([PROGRAM, "learn", str(wrong), "--step"], input="edit 22 z = y * 3\n", capture_output=True,
                                  text=True, timeout=PATIENCE).stdout
            self.assertIn("Set: line 22: z = torch.rand(2) * y -> z = y * 3.", edit)
            for text, problem in (("%s", ""), (mistake * 2, "shows one mistake"),
                                  (mistake.replace("```python", "```python ours"), "the wrong lines stand below the sentence"),
                                  (mistake.replace("z =", "a = 1\nz ="), "the blank has 1: a mistake has as many, or fewer"),
                                  (mistake.replace("z = ", "z = print(y); z = "), "a block with a mistake prints nothing")):
                wrong.write_text(lesson % text.replace("%s", ""))
                run = learn("--outputs", lesson=str(wrong))
                self.assertEqual(run.code, 1 if problem else 0, run.err)
                self.assertIn(problem, run.err)

    def test_an_answer_that_the_mistake_gives(self):
        wrong = self.bug("no-scale", lesson="lab")[1]["no-scale:wrong_weights"]["data"][1][1]
        with tempfile.TemporaryDirectory() as folder:
            answers = Path(folder, "answers")
            answers.write_text(f"no-scale:weights[1,1]={wrong:.6g}\n")
            self.assertIn("One way to get that is a mistake: does not divide the scores.",
                          words(learn("--answers", str(answers), lesson="lab").out))

    def test_bad_names_and_flags(self):
        for flags, words in {("no-topology",): "did you mean no-topo?", ("",): ", view-first, softmax-dim0",
                             ("no-scale", "--set", "inputs[0,0]=1"): "takes no --set", ("no-scale", "--outputs"): "shown as text",
                             ("view-first", "--d-out", 3, "--heads", 2): "cannot be cut",
                             ("view-first", "--hidden", 3): "has no --hidden"}.items():
            run = learn("--bug", *flags)
            self.assertEqual((run.code, run.out, len(run.err.splitlines())), (2, "", 1), flags)
            self.assertIn(words, run.err)
        self.assertEqual(glassgrad("learn", "--bug", "list").out, learn("--bug", "list").out)
        self.assertEqual(glassgrad("learn", "--bug", "no-scale").code, 2)


class Anomalies(unittest.TestCase):
    """--detect-anomaly: who makes the first nan of a lesson, and in which step."""

    def test_lessons_have_none(self):
        for lesson in "journey", "cat", "autograd.order":
            run = learn("--detect-anomaly", lesson=lesson)
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertRegex(run.out, r"^no nan: \d+ calls in \d+ steps, \d+ backward passes\n$")

    def test_the_first_one_is_named(self):
        for changes, words in {
                ("masked-scores:masked[0,0]=nan",): "put by hand into the result of masked_fill; step 24, masked-scores; cell [0,0] of shape [6, 6]",
                tuple(f"masked-scores:masked[2,{j}]=-inf" for j in range(3)): "made by softmax; step 25, masked-softmax; cell [2,0]",
                ("inputs[1,2]=nan",): "given: inputs[1,2]"}.items():
            run = learn("--detect-anomaly", *[word for change in changes for word in ("--set", change)])
            self.assertEqual((run.code, run.out), (1, ""))
            self.assertIn(f"the first nan is {words}", run.err)

    def test_it_goes_with_no_other_form(self):
        self.assertEqual(learn("--detect-anomaly", "--plain").code, 2)


if __name__ == "__main__":
    unittest.main()
