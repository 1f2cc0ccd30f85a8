#!/usr/bin/env python3
"""The short lessons: what each of them shows, and that its sentences hold for other settings."""
import tempfile
import unittest
from pathlib import Path

from lesson import Lesson, flat
from program import write_npy

COLUMNS = [[0.43, 0.55, 0.57, 0.22, 0.77, 0.05], [0.15, 0.87, 0.85, 0.58, 0.25, 0.80],
           [0.89, 0.66, 0.64, 0.33, 0.10, 0.55], [0.34, 0.45, 0.76, 0.12, 0.87, 0.54]]


class Question(Lesson):
    """A lesson that answers a question; most are about no tokens."""
    about_tokens = seeded = True
    first, most_steps = "question", 20
    same_flags = []
    starts = r"torch|None|True|False|\("
    shape = "tensor("

    def values(self, *arguments):
        return {(s["id"], t["name"]): t["data"] for s in self.steps(*arguments) for t in s["tensors"]}

    def rounded(self, *key, flags=()):
        return [round(float(v), 4) for v in flat(self.values(*flags)[key])]

    def said(self, *arguments):
        return " ".join(self.learn(*arguments).out.split())

    def test_own_inputs(self):
        if self.about_tokens:
            return super().test_own_inputs()
        with tempfile.TemporaryDirectory() as folder:
            file = write_npy(Path(folder) / "x.npy", [[1.0, 2.0], [3.0, 4.0]])
            for flags in ["--inputs", file], ["--tokens", "a,b"]:
                run = self.learn(*flags)
                self.assertEqual((run.code, run.out), (2, ""))
                self.assertIn(f"the lesson {self.lesson} takes no {flags[0]}", run.err)

    def test_repeat_bit_for_bit(self):
        if self.seeded:
            super().test_repeat_bit_for_bit()
        self.assertEqual(self.learn("--outputs").out, self.learn("--outputs", "--from", 1).out)

    def test_it_is_short_and_ends_with_what_to_remember(self):
        ids = [step["id"] for step in self.steps()]
        self.assertEqual((ids[0], ids[-1]), (self.first, "remember"))
        self.assertLessEqual(len(ids), self.most_steps)

    def test_every_number_is_finite_in_other_settings(self):
        for flags in self.settings:
            self.assertNotRegex(self.said(*flags, *self.until).replace("torch.inf", ""), r"\b(nan|inf)\b", flags)

    until = []  # limits the run to steps without intended nan


class Order(Question, unittest.TestCase):
    lesson, step, blocks, about_tokens, seeded = "autograd.order", "side-by-side", 2, False, False
    settings = [["--a", 1], ["--b", 7], ["--a", 1000, "--b", 1000], ["--a", 1, "--b", 1]]

    def test_three_engines(self):
        self.assertEqual(self.values()["side-by-side", "a_grad"], [[25, 25], [29, 46], [4, 21]])
        for a, b in (2, 3), (5, 1), (9, 4):
            right = 1 + b + a * b + (a + b) * b
            self.assertEqual(self.values("--a", a, "--b", b)["side-by-side", "a_grad"][0], [right, right])

    def test_the_order_of_the_nodes(self):
        text = self.said()
        for words in "y e c a b d a b f c a b d a b", "y e c a b d f.", "y f e d c b a", "y f e d c a b", "a ends with 29, but 25 is right":
            self.assertIn(words, text)


class Accumulate(Question, unittest.TestCase):
    lesson, step, blocks, about_tokens = "autograd.accumulate", "interior", 8, False
    settings = [["--a", 7], ["--b", 1], ["--seed", 5], ["--rows", 1], ["--rows", 7]]

    def test_once_twice_and_four_times(self):
        values = self.values()
        self.assertEqual([values[key, "a.grad"] for key in ("question", "twice", "cleared")], [25, 50, 25])
        self.assertEqual(values["interior", "second_grads"][0], 100)
        self.assertIn("a.grad is 100 after four", self.said())
        self.assertIn("Trying to backward through the graph a second time", self.said())

    def test_the_losses(self):
        for flags in self.settings:
            cleared = self.values(*flags)["forgotten", "losses"][0]
            self.assertEqual(cleared, sorted(cleared, reverse=True), flags)


class Broadcast(Question, unittest.TestCase):
    lesson, step, blocks, about_tokens = "autograd.broadcast", "wrong-axis", 7, False
    settings = [["--seed", 5], ["--rows", 1], ["--columns", 1], ["--rows", 3], ["--rows", 16, "--columns", 16]]

    def test_the_axis(self):
        values = self.values()
        for j, total in enumerate(values["summed", "bias.grad"]):
            self.assertAlmostEqual(sum(row[j] for row in values["summed", "g"]), total, 5)
            self.assertAlmostEqual(values["checked", "central"][j], total, 5)
        self.assertIn("That is luck", self.said())
        self.assertIn("no error tells you about the slip", self.said("--rows", 3))


class Matmul(Question, unittest.TestCase):
    lesson, step, blocks, about_tokens = "autograd.matmul", "checked", 4, False
    settings = [["--seed", 5], ["--rows", 1], ["--inner", 1], ["--columns", 1], ["--rows", 3, "--columns", 3]]

    def test_against_central_differences(self):
        for flags in [[], *self.settings]:
            values = self.values(*flags)
            for ours, theirs in ("A.grad", "central_A"), ("B.grad", "central_B"):
                key = ("all-cells", ours) if ours == "A.grad" else ("other-side", ours)
                other = ("checked", theirs) if ours == "A.grad" else ("other-side", theirs)
                for a, b in zip(flat(values[key]), flat(values[other])):
                    self.assertAlmostEqual(a, b, 4)

    def test_shapes(self):
        self.assertIn("only g B^T fits", self.said())
        self.assertNotIn("only g B^T fits", self.said("--rows", 3))
        self.assertNotIn("g @ B fits", self.said("--rows", 3))
        self.assertIn("g @ B fits, and it is wrong", self.said("--rows", 3, "--columns", 3))


class Softmax(Question, unittest.TestCase):
    lesson, step, blocks, about_tokens = "autograd.softmax", "jacobian", 5, False
    settings = [["--seed", 5], ["--size", 1], ["--size", 2], ["--size", 16]]
    until = ["--to", "backward-rule"]

    def test_the_jacobian(self):
        for flags in [[], *self.settings]:
            values = self.values(*flags)
            w, J = values["jacobian", "weights"], values["jacobian", "jacobian"]
            for i, row in enumerate(J):
                self.assertAlmostEqual(sum(row), 0, 6)
                for j, v in enumerate(row):
                    self.assertAlmostEqual(v, w[i] * ((i == j) - w[j]), 6)
            self.assertAlmostEqual(sum(flat(values["backward-rule", "x.grad"])), 0, 6)


class FiveWays(Question, unittest.TestCase):
    lesson, step, blocks = "mask.five-ways", "beaten", 8
    settings = [["--seed", 5], ["--d-out", 1], ["--d-out", 7]]
    until = ["--from", "zero", "--to", "measured"]
    rows = list(zip(*COLUMNS[:3]))

    def test_the_first_row(self):
        self.assertEqual(self.rounded("zero", "zero")[:6], [0.1971, 0.1606, 0.1606, 0.1606, 0.1606, 0.1606])
        self.assertEqual(self.rounded("beaten", "beaten")[:6], [0, 0.2, 0.2, 0.2, 0.2, 0.2])
        values = self.values()
        self.assertEqual(values["fully-masked", "strict"][0], ["NaN"] * 6)
        self.assertEqual(self.rounded("silent", "strict_1e9")[:6], [0.1667] * 6)
        for way, (total, ahead, moved, context_moved) in enumerate(values["measured", "ways"]):
            self.assertEqual((abs(total - 1) < 1e-6, ahead > 0.1, moved > 1e-3, context_moved > 1e-4),
                             (way != 3, way == 2, way == 3, way in (2, 3)), way)

    def test_scores_that_are_not_finite(self):
        with tempfile.TemporaryDirectory() as folder:
            file = write_npy(Path(folder) / "x.npy", [[float("nan"), 1.0], [2.0, 3.0]])
            self.assertIn("Some of these scores are inf or nan", self.said("--inputs", file))
            file = write_npy(Path(folder) / "x.npy", [[-2e3, 3e3], [2e3, -3e3]])
            self.assertNotIn("Now -10000 is the largest", self.said("--inputs", file))
        self.assertIn("Now -10000 is the largest", self.said())
        self.assertNotIn("inf or nan", self.said())


class ScaleWhy(Question, unittest.TestCase):
    lesson, step, blocks, about_tokens = "scale.why", "variance", 4, False
    settings = [["--seed", 5], ["--width", 1], ["--width", 4096], ["--keys", 1], ["--keys", 16]]
    until = ["--to", "which-d"]

    def test_the_variance_is_the_width(self):
        for seed in 1, 2, 123:
            values = self.values("--seed", seed)
            for width, raw, scaled in zip((1, 4, 16, 64, 256), values["variance", "variance"],
                                          values["variance", "scaled_variance"]):
                self.assertTrue(0.8 < raw / width < 1.2 and 0.8 < scaled < 1.2, (seed, width))

    def test_the_slope_shrinks_without_the_scale(self):
        for flags, less in ([], 0.1), (["--seed", 5], 0.1), (["--keys", 16], 1):  # with 16 keys, two are often close
            table = self.values(*flags)["shrinking", "shrinking"]
            self.assertLess(table[4][1], less * table[4][3])
            self.assertLess(table[4][1], less * table[2][1])


class DropoutFactor(Question, unittest.TestCase):
    lesson, step, blocks, about_tokens = "dropout.factor", "factor", 6, False
    settings = [["--seed", 5], ["--dropout", 0], ["--dropout", 1], ["--dropout", 0.1], ["--size", 1]]
    until = ["--from", "on-average"]

    def test_the_factor(self):
        for p, factor in (0.1, 1.1111), (0.2, 1.25), (0.5, 2):
            self.assertIn(factor, self.rounded("factor", "table"))
            found = set(self.rounded("question", "example", flags=("--dropout", p)))
            self.assertLessEqual(found, {0, factor})
        self.assertEqual(self.rounded("question", "example", flags=("--dropout", 1)), [0] * 36)

    def test_on_average(self):
        for p in 0.1, 0.5:
            values = self.values("--dropout", p)
            for a, b in zip(flat(values["on-average", "mean_weights"]), flat(values["on-weights", "attn_weights"])):
                self.assertAlmostEqual(a, b, delta=0.15)

    def test_the_border(self):
        for words in "A number that stays is not 1 any more", "uses up a random number", "In this run the rate is 0.5":
            self.assertIn(words, self.said())
            for p in 0, 1:
                self.assertNotIn(words, self.said("--dropout", p))
                self.assertIn("This is a border case", self.said("--dropout", p))
        self.assertNotIn("This is a border case", self.said())


class HeadsSame(Question, unittest.TestCase):
    lesson, step, blocks = "heads.same", "same", 5
    settings = [["--seed", 5], ["--heads", 1], ["--heads", 4, "--d-out", 3], ["--d-out", 1]]
    same_flags = [["--num-heads", "--heads"]]
    rows = list(zip(*COLUMNS[:3]))

    def test_they_are_one_computation(self):
        for flags in [[], *self.settings]:
            values = self.values(*flags)
            for a, b in ((("projections", "side_by_side"), ("projections", "queries")),
                         (("heads", "head_weights"), ("heads", "all_weights")),
                         (("together", "wrapper_context"), ("together", "split_context")),
                         (("same", "wrapper"), ("same", "split")),
                         (("gradients", "wrapper_grad"), ("gradients", "split_grad"))):
                for x, y in zip(flat(values[a]), flat(values[b])):
                    self.assertAlmostEqual(x, y, 5)
            self.assertIn("\nTrue\n", self.learn("--outputs", *flags).out)
            one = "With a single head both give the same"
            self.assertEqual(one in self.said(*flags), flags == ["--heads", 1], flags)


class Compare(Question, unittest.TestCase):
    lesson, step, quick, shape, first = "compare", "one-computation", ["--heads", 1], "", "journey-class"
    most_steps = 23  # five classes come before the question
    rows = list(zip(*COLUMNS))
    same_flags = [["--num-heads", "--heads"]]

    def test_one_computation(self):
        values = self.values()
        self.assertLess(max(values["one-computation", "differences"]), 1e-6)
        differences = values["question", "differences"]
        self.assertEqual([d > 1e-4 for d in differences], [False, True, True, False, True])

    def test_every_row_is_run(self):
        text = self.said("--heads", 2)
        for words in ("0, 0, 12, 0, 0", "out_proj in three classes and fc_out in single-and-multi",
                      "2362368 and 2360064", "The size of tensor a (5) must match the size of tensor b (4)",
                      "The size of tensor a (4) must match the size of tensor b (3)", "AssertionError: d_out must be",
                      "ValueError: dropout probability", "the shape is (1, 6, 8)",
                      "12 heads and 1024 tokens that is 50 MB"):
            self.assertIn(words, text)

    def test_heads_that_do_not_fit(self):
        run = self.learn("--heads", 3)
        self.assertEqual((run.code, run.out), (2, ""))
        self.assertIn("4 cannot be cut into 3 equal parts; num_heads may be 1, 2, 4 (with --heads 3)", run.err)


class Errata(Question, unittest.TestCase):
    lesson, step, shape, most_steps = "errata", "ones-or-zeros", "", 22
    rows = list(zip(*COLUMNS))

    def test_every_source_has_its_slips(self):
        titles = [step["title"] for step in self.steps()]
        for source in "gpt-attention", "single-and-multi", "cat", "climb", "journey":
            self.assertGreaterEqual(sum(title.startswith(source + ": ") for title in titles), 2, source)

    def test_the_claims_are_run(self):
        self.assertEqual(self.rounded("whose-question", "by_text"), [4.9211, 5.9807, 6.4582, 2.9053, 4.4732, 4.1855])
        self.assertEqual(self.rounded("whose-question", "attn_scores_2"), [4.0483, 5.9807, 6.4800, 3.0732, 4.2646, 4.5313])
        values = self.values()
        self.assertEqual(values["before-itself", "without_diagonal"][0], ["NaN"] * 6)
        self.assertEqual(values["width-one", "one_wide"], values["width-one", "scaled_one_wide"])
        text = self.said()
        for words in ("= 1.1111, which adds 11.11 per cent", "ln_f.weight.grad is None",
                      "ValueError: not enough values to unpack", "it is 32"):
            self.assertIn(words, text)
        self.assertIn("= 2.0000, which adds 100.00 per cent", self.said("--dropout", 0.5))


if __name__ == "__main__":
    unittest.main()
