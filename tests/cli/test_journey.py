#!/usr/bin/env python3
"""`glassgrad learn journey`: what it prints, in every form, and how the forms agree."""
import json
import re
import tempfile
import unittest
from pathlib import Path

from program import GOLDEN, ROOT, learn, glassgrad, write_npy

NUMBER = re.compile(r"-?(?:\d+\.\d*(?:e[+-]\d+)?|inf|nan)")


def flat(data):
    return [x for row in data for x in flat(row)] if isinstance(data, list) else [data]


def steps(*arguments):
    return json.loads(learn("--format", "json", *arguments).out)["steps"]


class Outputs(unittest.TestCase):
    def test_equal_the_golden(self):
        run = learn("--outputs")
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertEqual(run.out, (GOLDEN / "journey.txt").read_text())

    def test_plain_contains_them_in_order(self):
        plain, place = learn("--plain").out, 0
        blocks = re.split(r"\n(?=tensor|Attention|Sum|Row|All|Previous|keys|values|torch|context|First|\nSecond)",
                          (GOLDEN / "journey.txt").read_text().rstrip("\n"))
        self.assertGreaterEqual(len(blocks), 31)
        for block in blocks:
            place = plain.find(block.strip("\n"), place)
            self.assertGreaterEqual(place, 0, block)
            place += len(block)

    def test_settings_change_them(self):
        base = learn("--outputs").out
        for flags in (["--seed", 7], ["--seed-v2", 7], ["--d-out", 4], ["--heads", 1], ["--dropout", 0.25]):
            self.assertNotEqual(learn("--outputs", *flags).out, base, flags)

    def test_repeat_bit_for_bit(self):
        self.assertEqual(learn("--outputs", "--seed", -1).out, learn("--outputs", "--seed", 0xFFFFFFFF).out)

    def test_own_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33],
                    [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]
            for descr in "<f4", ">f4", "<f8":
                file = write_npy(Path(folder) / "x.npy", rows, descr)
                self.assertEqual(learn("--outputs", "--inputs", file).out, learn("--outputs").out, descr)
            file = write_npy(Path(folder) / "x.npy", [[0.1, 0.2], [0.3, 0.4]])
            run = learn("--outputs", "--inputs", file, "--tokens", "to,be")
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertIn("torch.Size([2, 2, 2])", run.out)
            self.assertIn("to", learn("--inputs", file, "--tokens", "to,be").out)


class Json(unittest.TestCase):
    def test_shapes_names_and_ids(self):
        found = steps()
        ids = [s["id"] for s in found]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertIn("masked-scores", ids)
        for step in found:
            self.assertRegex(step["id"], r"^[a-z0-9]+(-[a-z0-9]+)*$")
            names = [t["name"] for t in step["tensors"]]
            self.assertEqual(len(names), len(set(names)), step["id"])
            for tensor in step["tensors"]:
                size = 1
                for n in tensor["shape"]:
                    size *= n
                self.assertEqual(len(flat(tensor["data"])), size, tensor["name"])
        self.assertEqual([s["number"] for s in found], list(range(1, len(found) + 1)))

    def test_plain_prints_the_same_numbers(self):
        for step in steps():
            text = learn("--plain", "--from", step["id"], "--to", step["id"]).out
            for tensor in step["tensors"]:
                if tensor["dtype"] != "torch.float32" and tensor["dtype"] != "float32":
                    continue
                values = [float(v) for v in flat(tensor["data"])]
                if any(v != v for v in values) or not values or max(map(abs, values)) > 1e8:
                    continue
                shown = [float(n) for n in NUMBER.findall(text)]
                for v in values:
                    self.assertTrue(any(v == s or abs(v - s) <= 6e-5 for s in shown), (step["id"], tensor["name"], v))

    def test_list_names_every_step(self):
        listing = learn("--list").out
        for step in steps():
            self.assertIn(step["id"], listing)
            for tensor in step["tensors"]:
                self.assertIn(tensor["name"], listing)


# The source's variables, each in the step that follows the line which makes it.
VARIABLES = {
    "inputs": "inputs", "scores-2": "query attn_scores_2", "weights-by-sum": "attn_weights_2_tmp",
    "softmax-2": "attn_weights_2", "context-2": "query context_vec_2", "scores": "attn_scores",
    "weights": "attn_weights", "context": "all_context_vecs", "projection-weights": "x_2 W_query W_key W_value",
    "query-2": "query_2 key_2 value_2", "keys-values": "keys values", "score-22": "keys_2 attn_score_22",
    "trainable-scores-2": "attn_scores_2", "trainable-weights-2": "attn_weights_2",
    "trainable-context-2": "context_vec_2", "v1-projections": "keys queries values",
    "v1-weights": "attn_scores attn_weights", "self-attention-v1": "context_vec",
    "v2-projections": "keys queries values", "v2-weights": "attn_scores attn_weights",
    "self-attention-v2": "context_vec", "unmasked-weights": "queries keys attn_scores attn_weights",
    "mask-simple": "mask_simple", "masked-weights": "masked_simple", "renormalised": "row_sums masked_simple_norm",
    "masked-scores": "mask masked", "masked-softmax": "attn_weights", "dropout-ones": "example", "batch": "batch",
    "causal-projections": "keys queries values", "causal-scores": "attn_scores",
    "causal-masked-scores": "mask attn_scores", "causal-weights": "attn_weights",
    "causal-attention": "attn_weights context_vec context_vecs", "wrapper": "context_vecs",
    "split-projections": "keys queries values", "split-heads": "keys queries values",
    "split-transpose": "keys queries values", "split-scores": "attn_scores",
    "split-masked-scores": "mask mask_bool attn_scores", "split-weights": "attn_weights",
    "split-context": "attn_weights context_vec", "split-combined": "context_vec",
    "split-attention": "context_vec context_vecs", "batched-product": "a",
    "product-per-head": "first_head first_res second_head second_res",
}


class Names(unittest.TestCase):
    def test_every_variable_of_the_source_has_its_name(self):
        found = {step["id"]: {t["name"] for t in step["tensors"]} for step in steps()}
        for step, names in VARIABLES.items():
            self.assertLessEqual(set(names.split()), found[step], step)


class Sentences(unittest.TestCase):
    """They come from the run: what holds at the defaults is not said where it does not hold."""

    def said(self, *arguments):
        return " ".join(learn(*arguments).out.split())

    def said_about(self, rows):
        with tempfile.TemporaryDirectory() as folder:
            return self.said("--inputs", write_npy(Path(folder) / "x.npy", rows))

    def test_one_head_is_not_called_many(self):
        for one in (["--heads", 1], ["--heads", 1, "--d-out", 1]):
            text = self.said(*one)
            for words in "would mix the tokens", "contiguous() copies", "heads share them", "all masks are the same":
                self.assertNotIn(words, text)
                self.assertIn(words, self.said())

    def test_the_split_heads_begin_with_the_matrices_of_head_0(self):
        tensors = {(s["id"], t["name"]): t["data"] for s in steps("--heads", 2, "--d-out", 6) for t in s["tensors"]}
        for name in "W_query", "W_key", "W_value":
            self.assertEqual(tensors["split-projections", name + ".weight"],
                             tensors["wrapper-projections", f"heads.0.{name}.weight"])

    def test_equal_scores_have_no_single_largest(self):
        self.assertIn('The largest score, 0.0000, belongs to 3 tokens: "x1", "x2", "x3".',
                      self.said_about([[0.0, 0.0]] * 3))

    def test_nan_is_not_ranked(self):
        text = self.said_about([[float("nan"), 1.0], [1.0, 2.0]])
        self.assertIn("No score is the largest", text)
        self.assertIn("nan and inf will spread", text)
        for words in "the weights, add to 1", "has made each row", "No weight is negative":
            self.assertNotIn(words, text)
            self.assertIn(words, self.said())

    def test_large_inputs(self):
        text = self.said_about([[100.0, 1.0], [2.0, -100.0], [30.0, 40.0]])
        self.assertIn("it does break here", text)
        self.assertIn("Masking and dividing afterwards has led to nan", text)
        self.assertIn("1.0000e+30", self.said_about([[1e30, 1.0], [1.0, 1.0]]))

    def test_settings_are_shown_as_python_writes_them(self):
        text = self.said("--seed", "010", "--seed-v2", "-07", "--dropout", "25e-2")
        for words in "torch.manual_seed(10)", "torch.manual_seed(-7)", "torch.nn.Dropout(0.25)":
            self.assertIn(words, text)


class Parts(unittest.TestCase):
    def test_from_and_to_accept_id_and_number(self):
        found = steps()
        middle = found[len(found) // 2]
        by_id = learn("--plain", "--from", middle["id"], "--to", middle["id"]).out
        self.assertEqual(by_id, learn("--plain", "--from", middle["number"], "--to", middle["number"]).out)
        self.assertEqual([s["id"] for s in steps("--from", middle["id"], "--to", middle["id"])], [middle["id"]])

    def test_parts_make_the_whole(self):
        found = steps()
        half = len(found) // 2
        first = learn("--outputs", "--to", found[half - 1]["id"]).out
        second = learn("--outputs", "--from", found[half]["id"]).out
        self.assertEqual(first + second, learn("--outputs").out)


class Whole(unittest.TestCase):
    def test_text_shows_every_step(self):
        run = learn()
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertNotIn("\x1b", run.out)
        for step in steps():
            self.assertIn(step["title"], run.out)

    def test_lessons_are_listed(self):
        run = glassgrad("learn")
        self.assertEqual(run.code, 0)
        self.assertIn("journey", run.out)
        self.assertIn("Your journey starts with one step", run.out)

    def test_readme_shows_this_run(self):
        readme = (ROOT / "README.md").read_text()
        shown = re.findall(r"```\n\$ (glassgrad [^\n]*)\n(.*?)```", readme, re.S)
        self.assertTrue(shown)
        for command, expected in shown:
            self.assertEqual(glassgrad(*command.split()[1:]).out.rstrip("\n"), expected.rstrip("\n"), command)

    def test_readme_lists_the_lessons(self):
        readme = (ROOT / "README.md").read_text()
        lessons = re.findall(r"^(\S+) +(.+), (\d+) minutes\n +(.+)$", glassgrad("learn").out, re.M)
        self.assertTrue(lessons)
        for lesson, source, minutes, understand in lessons:
            self.assertIn(f"| `{lesson}` | {source} | {understand} | {minutes} |", readme)


if __name__ == "__main__":
    unittest.main()
