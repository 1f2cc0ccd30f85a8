#!/usr/bin/env python3
"""The command `why`, and opening cells in the stepper."""
import itertools
import json
import math
import os
import random
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from expressions import evaluated, number
from program import PATIENCE, PROGRAM, glassgrad, learn, listed, one_in
from terminal import Terminal

LESSONS = [name for name, _, _ in listed(glassgrad("docs").out)]
BACKWARD = [name for name in LESSONS if name != "rnn.why"]  # rnn.why names no loss
SHORT = {"gpt.scalars": ["--steps", 1], "training": ["--steps", 20]}
SMALL = SHORT | {"gpt-attention": ["--context", 16, "--width", 24, "--heads", 2]}
CELLS = 20 if os.environ.get("SANITIZERS") else 200 // one_in(4)  # more cells would show the sanitizers nothing new
DOWN, RIGHT, PAGE_DOWN = "\x1b[B", "\x1b[C", "\x1b[6~"


def why(*arguments, **options):
    return glassgrad("why", *arguments, **options)


def tensors(lesson, *flags):
    """{"step:tensor": tensor}, as the lesson's JSON has them."""
    steps = json.loads(learn("--format", "json", *flags, lesson=lesson).out)["steps"]
    return {f"{s['id']}:{t['name']}": t for s in steps for t in s["tensors"]}


def random_cells(lesson, n, *flags):
    """Addresses of n cells, and what the lesson says of them (None of a tensor that is too long to be in it)."""
    g, all_tensors = random.Random(5), tensors(lesson, *flags)
    some = {address: t for address, t in all_tensors.items() if math.prod(t["shape"])}
    for address in itertools.islice(itertools.cycle(g.sample(sorted(some), len(some))), n):
        index = [g.randrange(size) for size in some[address]["shape"]]
        value = some[address]["data"]
        for i in index if value is not None else []:
            value = value[i]
        yield address + (f"[{','.join(map(str, index))}]" if index else ""), value


class EveryLesson(unittest.TestCase):
    def test_cells_are_opened_and_their_trees_give_them(self):
        self.assertGreater(len(LESSONS), 4)
        for lesson in LESSONS:
            self.open_cells(lesson, *SHORT.get(lesson, []))

    def test_cells_of_gradients_are_opened_and_their_trees_give_them(self):
        for lesson in BACKWARD:
            self.open_cells(lesson, *SHORT.get(lesson, []), "--backward")

    def open_cells(self, lesson, *flags):
        cells = dict(random_cells(lesson, CELLS, *flags))
        trees = [json.loads(line) for line in why(lesson, *cells, *flags, "--format", "json").out.splitlines()]
        self.assertEqual([t["address"] for t in trees], list(cells))
        for tree, (address, value) in zip(trees, cells.items()):
            if value is not None:
                self.assertEqual(tree["value"], value, address)
            if tree["tree"]:
                self.check(tree, address)
        pages = why(lesson, *cells, *flags).out.splitlines()
        last = [line for line in pages if line.startswith("= ")]
        self.assertEqual(len(last), len(cells), lesson)
        for line, tree in zip(last, trees):
            self.check_printed(line, tree)

    def check(self, tree, address):
        largest = [0.0]
        found, value = evaluated(tree["tree"], largest) + number(tree["rounding"]), number(tree["value"])
        close = {"float16": 1e-3, "float32": 2e-6}.get(tree["dtype"], 1e-12) * (largest[0] + 1e-30)
        same = found == value or (math.isnan(found) and math.isnan(value)) or abs(found - value) <= close
        self.assertTrue(same, f"{address}: the tree gives {found}, the cell is {value}")

    def check_printed(self, line, tree):
        value, printed = number(tree["value"]), line[2:]
        if tree["dtype"] == "bool":
            return self.assertEqual(printed, str(value))
        shown = float(printed)
        near = 1e-4 * max(1, abs(value)) if "e" not in printed else 1e-4 * abs(value)
        self.assertTrue(shown == value or abs(shown - value) <= near or (math.isnan(shown) and math.isnan(value)),
                        f"{tree['address']}: {line} is not {value}")


class Gradient(unittest.TestCase):
    CELL = "causal-projections:W_query.weight[0,1]"

    def test_a_gradient_stands_beside_its_central_difference(self):
        for cell in self.CELL, "causal-weights:attn_weights[0,2,1]", "causal-projections:keys[1,3,0]":
            run = json.loads(why("journey", cell, "--backward", "--format", "json").out)
            self.assertEqual((run["gradient_of"], run["loss"]), (cell, "sum(context_vecs)"))
            self.assertLess(abs(run["difference"] - run["value"]), 1e-5 * (1 + abs(run["value"])), cell)
        page = why("journey", self.CELL, "--backward").out
        self.assertRegex(page, r"their difference / 2e-05 = 0\.191917\n= 0\.1919\n$")
        self.assertLessEqual(max(map(len, page.splitlines())), 80)

    def test_every_lesson_has_gradients_that_are_slopes(self):
        found = 0
        for lesson in BACKWARD:
            small = SMALL.get(lesson, [])
            for cell, _ in random_cells(lesson, CELLS // 20, *small):
                run = why(lesson, cell, *small, "--backward", "--format", "json")
                if run.code == 0:
                    found += 1
                    opened = json.loads(run.out)
                    self.assertLess(abs(opened["difference"] - opened["value"]), 1e-4 * (1 + abs(opened["value"])), cell)
                else:  # integers and masks, for example
                    self.assertEqual((run.code, "has no gradient" in run.err), (2, True), (lesson, cell, run))
        self.assertGreater(found, CELLS // 10)

    def test_what_has_none(self):
        for lesson, cell in ("journey", "mask-simple:mask_simple[0,0]"), ("mask.five-ways", "measured:ways[0,0]"):
            run = why(lesson, cell, "--backward")
            self.assertEqual((run.code, run.out), (2, ""))
            self.assertIn("has no gradient", run.err)
        run = why("rnn.why", "question:words", "--backward")
        self.assertEqual((run.code, run.out), (1, ""))
        self.assertIn("the lesson rnn.why names no loss", run.err)


class Text(unittest.TestCase):
    def test_a_product(self):
        self.assertEqual(why("journey", "unmasked-weights:attn_scores[2,1]").out, """\
unmasked-weights:attn_scores[2,1]: query "starts" looks at key "journey"
mm: Σₖ a[i,k]·b[k,j]

queries[2,0] · keys[1,0]    0.8960 · -0.0298 = -0.0267
queries[2,1] · keys[1,1]   -0.4419 · -0.4459 =  0.1970
sum of these 2 products
= 0.1703
""")

    def test_depth_goes_down_to_weights_and_inputs(self):
        run = why("journey", "masked-softmax:attn_weights[2,1]", "--depth", 9)
        for words in ("\nmasked-scores:masked[2,5]: query", " = -inf if True else 0.0090\n",
                      "\nwhere this comes from:\n", "W_key.weight[0,0] = 0.4058, drawn: uniform in",
                      "\n  inputs:inputs[1,0] = 0.5500\n"):
            self.assertIn(words, run.out)
        self.assertEqual(run.out.splitlines()[-1], "= 0.3097")
        deep = json.loads(why("journey", "masked-softmax:attn_weights[2,1]", "--depth", 9, "--format", "json").out)
        self.assertAlmostEqual(evaluated(deep["tree"]), deep["value"], 6)

    def test_exact_digits_read_back(self):
        run = why("journey", "masked-softmax:attn_weights[2,1]", "--exact")
        self.assertEqual(run.out.splitlines()[-1], "= 0.30971354")
        tree = json.loads(why("journey", "masked-softmax:attn_weights[2,1]", "--format", "json").out)
        self.assertAlmostEqual(tree["value"], 0.30971354, 8)

    def test_the_flags_of_learn(self):
        run = why("journey", "split-context:context_vec[0,1,2,0]", "--heads", 3, "--d-out", 6, "--tokens", "a,b,c,d,e,f")
        self.assertIn('batch 0, token "b", head 2, head_dim 0', run.out)
        self.assertEqual((run.code, run.err), (0, ""))

    def test_what_there_is(self):
        everything = why("journey").out
        addresses = re.findall(r"^(\S+)  ", everything, re.M)
        given = [a for a in addresses if a.startswith("given:")]
        self.assertEqual([a for a in addresses if a not in given], list(tensors("journey")))
        self.assertIn("given:sa_v2.W_query.weight", given)
        self.assertEqual(re.findall(r"^(\S+)  ", why("journey", "given").out, re.M), given)
        for address in "given:sa_v2.W_query.weight[1,2]", "sa_v2.W_query.weight[1,2]":
            self.assertTrue(why("journey", address).out.startswith("given:sa_v2.W_query.weight[1,2]: d_out 1, d_in 2\n"))
        self.assertEqual(why("journey", "--list").out, everything)
        self.assertIn("scaled_scores  (T=6 queries, T=6 keys)", why("journey", "masked-softmax").out)
        self.assertIn("[0.3800, 0.3097,", why("journey", "masked-softmax:attn_weights").out)

    def test_a_trained_model(self):
        with tempfile.TemporaryDirectory() as folder:
            train = glassgrad("train", "--steps", 2, "--out", Path(folder, "run"))
            self.assertEqual(train.code, 0, train.err)
            run = why(Path(folder, "run"), "layer-0-scores:attn_scores[0,1,2,1]", "logits:logits[0,1,5]",
                      "embeddings:tok_embeds[0,1,3]", "final-norm:normed[0,0,0]", "--text", "cats climb trees")
            self.assertEqual((run.code, run.err), (0, ""))
            for words in 'head 1, query "␣trees" looks at\nkey "␣climb"', "tok_emb.weight[", "(tokens[0,1] = ", "mean = ":
                self.assertIn(words, run.out)
            self.assertEqual(why(Path(folder, "run"), "logits:logits[0,1,5]").code, 2)
            self.assertEqual(why(Path(folder, "run"), "x:y[0]", "--text", "cats", "--seed", 1).code, 2)


class BadInput(unittest.TestCase):
    def test_one_line_and_a_code(self):
        for words, *arguments in [
                ("which lesson?",), ("no lesson 'jorney': did you mean journey?", "jorney"),
                ("which lesson? glassgrad why LESSON masked:x[1]", "masked:x[1]"),
                ("did you mean masked-scores?", "journey", "masked-score:masked[0,0]"),
                ("did you mean mask?", "journey", "masked-scores:maske[0,0]"),
                ("has no cell [9,0]", "journey", "masked-scores:masked[9,0]"),
                ("needs 2 indices, not 1", "journey", "masked-scores:masked[1]"),
                ("is not an index", "journey", "masked-scores:masked[a,b]"),
                ("is not STEP:TENSOR[i,j]", "journey", "masked-scores:masked[1,2"),
                ("--format is text or json", "journey", "masked-scores:masked[1,2]", "--format", "html"),
                ("--depth takes an integer", "journey", "masked-scores:masked[1,2]", "--depth", "0"),
                ("more than 200 numbers", "gpt-attention", "gpt-attention:context_vecs[0,9,0]", "--depth", "9"),
                ("is for a trained model", "journey", "masked-scores:masked[1,2]", "--text", "cats")]:
            run = why(*arguments)
            self.assertEqual((run.code, run.out), (2, ""), arguments)
            self.assertIn(words, run.err)
            self.assertEqual(run.err.count("\n"), 1)

    def test_a_program_with_an_empty_tensor(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "own.py")
            file.write_text("import torch\nx = torch.ones(0, 3) * 2\nprint(x)\n")
            for cell in "[0]", "[0,0]":
                run = why(file, "line-2:x" + cell)
                self.assertEqual((run.code, run.out), (2, ""))
                self.assertIn("x has no cells: its shape is [0, 3]", run.err)
            for form in ("--html", "-"), ("--format", "notebook"):
                self.assertEqual(learn(*form, lesson=file).code, 0, form)

    def test_a_reader_that_goes(self):
        run = subprocess.run(f"{PROGRAM} why journey masked-softmax:attn_weights[2,1] --depth 9 | head -n 1; exit ${{PIPESTATUS[0]}}",
                             shell=True, executable="/bin/bash", capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue(run.stdout.startswith("masked-softmax:attn_weights[2,1]: query"))


class InTheStepper(unittest.TestCase):
    def test_the_cursor_and_opened_cells(self):
        with Terminal("learn", "journey", "--from", "masked-softmax") as t:
            t.until("Tab cells", "q quit")
            for key, *words in [
                ("\t", "[0.2050]", "masked-softmax:scaled_scores[0,0]"), (RIGHT, "masked-softmax:scaled_scores[0,1]"),
                (DOWN, "[0.1218]"), ("j", "[0.1204]"), ("h", "[0.3249]"), ("l", "scaled_scores[2,1]"),
                ("i", "masked[2,1] / 1.4142", "= 0.1204", "i opens masked-scores:masked[2,1]"),
                ("i", "-inf if mask_bool[2,1] else attn_scores[2,1]"), (DOWN, "i opens unmasked-weights:attn_scores[2,1]"),
                ("\r", "queries[2,0] · keys[1,0]    0.8960 · -0.0298 = -0.0267"), ("t", "0.8960153"), ("t", "0.8960 ·"),
                ("\x7f", "-inf if False else 0.1703"), ("\x7f", "masked[2,1] / 1.4142"), ("\x7f", "[0.1204]"),
                (PAGE_DOWN, "masked-softmax:attn_weights[0,0]"), ("\x1b[F", "masked-softmax:attn_weights[0,5]"), ("\x1b", "Tab cells"),
                ("\t", "[0.2050]"), ("\x1b[4~", "scaled_scores[0,5]"), ("n", "dropout-ones:example[0,0]"), ("\t", "Tab cells")]:
                shown = t.after(key)
                for word in words:
                    self.assertIn(word, shown)

    def test_backward_goes_to_the_gradient_of_the_cell(self):
        with Terminal("learn", "journey", "--from", "masked-softmax") as t:
            t.until("Tab cells")
            for key, words in [("\t", "masked-softmax:scaled_scores[0,0]"), (DOWN, "[1,0]"), (DOWN, "[2,0]"),
                               (RIGHT, "masked-softmax:scaled_scores[2,1]"), ("B", ":grad_scaled_scores[2,1]"),
                               ("B", "masked-softmax:scaled_scores[2,1]")]:
                self.assertIn(words, t.after(key))

    def test_nothing_depends_on_colour(self):
        with Terminal("learn", "journey", "--from", "masked-softmax", NO_COLOR="1") as t:
            t.until("Tab cells")
            self.assertIn("[0.2050]", t.after("\t"))
            self.assertIn("> scaled_scores[0,0] = masked[0,0] / 1.4142", t.after("i"))

    def test_a_wide_tensor_follows_the_cursor(self):
        with Terminal("learn", "gpt-attention", "--from", "gpt-batch") as t:
            t.until("Tab cells")
            t.after("\t")
            for column in (1, 2, 765, 766, 767):
                self.assertIn(f"gpt-batch:batch[0,0,{column}]", t.after(RIGHT))
            self.assertRegex("\n".join(t.screen.rows()), r"\[0\.\d{4}\]")

    def test_the_line_mode(self):
        lines = "goto masked-softmax\nwhy attn_weights[2,1]\nw nothing[0]\nw unmasked-weights:attn_scores[2,1]\nwhy\nq\n"
        for flags, words in ((), ("= 0.3097\n", "= 0.1703\n")), (["--speak"], ("That is 0.3097\n", "-0.0298 is -0.0267\n")):
            run = subprocess.run([PROGRAM, "learn", "journey", "--step", *flags], input=lines, text=True,
                                 capture_output=True)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            for word in (*words, "a tensor 'nothing'", "why needs a number"):
                self.assertIn(word, run.stdout)


if __name__ == "__main__":
    unittest.main()
