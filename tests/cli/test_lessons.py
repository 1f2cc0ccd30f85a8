#!/usr/bin/env python3
"""`glassgrad learn LESSON`: what each lesson prints, in every form, and how the forms agree."""
import math
import os
import re
import tempfile
import unittest
from pathlib import Path

from lesson import Lesson, flat
from program import write_npy

COLUMNS = [[0.43, 0.55, 0.57, 0.22, 0.77, 0.05], [0.15, 0.87, 0.85, 0.58, 0.25, 0.80],
           [0.89, 0.66, 0.64, 0.33, 0.10, 0.55], [0.34, 0.45, 0.76, 0.12, 0.87, 0.54]]

# Variables of journey's source, by the step after the line that makes them.
JOURNEY_VARIABLES = {
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


class Journey(Lesson, unittest.TestCase):
    lesson, step, blocks = "journey", "masked-scores", 31
    starts = r"Attention|Sum|Row|All|Previous|keys|values|torch|context|First|\nSecond"
    settings = [["--seed", 7], ["--seed-v2", 7], ["--d-out", 4], ["--heads", 1], ["--dropout", 0.25]]
    rows = list(zip(*COLUMNS[:3]))

    def test_every_variable_of_the_source_has_its_name(self):
        found = {step["id"]: {t["name"] for t in step["tensors"]} for step in self.steps()}
        for step, names in JOURNEY_VARIABLES.items():
            self.assertLessEqual(set(names.split()), found[step], step)

    # ---- sentences come from the run: a sentence appears only where it holds
    def said(self, *arguments):
        return " ".join(self.learn(*arguments).out.split())

    def said_about(self, rows):
        with tempfile.TemporaryDirectory() as folder:
            return self.said("--inputs", write_npy(Path(folder) / "x.npy", rows))

    def test_one_head_is_not_called_many(self):
        for one in (["--heads", 1], ["--heads", 1, "--d-out", 1]):
            text = self.said(*one)
            for words in "would mix the tokens", "contiguous() first copies", "All these masks are the same":
                self.assertNotIn(words, text)
                self.assertIn(words, self.said())

    def test_the_split_heads_begin_with_the_matrices_of_head_0(self):
        tensors = {(s["id"], t["name"]): t["data"] for s in self.steps("--heads", 2, "--d-out", 6) for t in s["tensors"]}
        for name in "W_query", "W_key", "W_value":
            self.assertEqual(tensors["split-projections", name + ".weight"],
                             tensors["wrapper-projections", f"heads.0.{name}.weight"])

    def test_equal_scores_have_no_single_largest(self):
        self.assertIn('The largest score, 0.0000, belongs to 3 tokens: "x1", "x2", "x3".',
                      self.said_about([[0.0, 0.0]] * 3))

    def test_nan_is_not_ranked(self):
        text = self.said_about([[float("nan"), 1.0], [1.0, 2.0]])
        self.assertIn("No score is the largest", text)
        self.assertIn("You will see inf and nan spread", text)
        for words in "The weights add to 1", "The largest score", "in the same order as the scores":
            self.assertNotIn(words, text)
            self.assertIn(words, self.said())

    def test_large_inputs(self):
        text = self.said_about([[100.0, 1.0], [2.0, -100.0], [30.0, 40.0]])
        self.assertIn("it does break here", text)
        self.assertIn("0 divided by 0 is nan", text)
        self.assertIn("1.0000e+30", self.said_about([[1e30, 1.0], [1.0, 1.0]]))

    def test_settings_are_shown_as_python_writes_them(self):
        text = self.said("--seed", "010", "--seed-v2", "-07", "--dropout", "25e-2")
        for words in "torch.manual_seed(10)", "torch.manual_seed(-7)", "torch.nn.Dropout(0.25)":
            self.assertIn(words, text)


# Variables of gpt-attention's source.
GPT_ATTENTION_VARIABLES = {
    "scores": "inputs attn_scores", "weights": "attn_weights", "context": "context_vecs",
    "linear-layers": "W_query.weight W_query.bias", "queries-keys-values": "queries keys values",
    "scaled-scores": "attn_scores", "trainable-context": "attn_weights context_vecs",
    "self-attention-inside": "queries keys values attn_scores attn_weights", "self-attention": "context_vecs",
    "mask": "mask", "masked-scores": "attn_scores", "masked-weights": "attn_weights", "dropout": "attn_weights",
    "causal-module": "batch mask", "causal-projections": "W_keys.weight keys query values",
    "causal-scores": "att_scores", "causal-masked-scores": "att_scores", "causal-weights": "attn_weights",
    "causal-attention": "attn_weights context_vecs", "causal-eval": "context_vecs", "heads-module": "keys queries values",
    "heads-cut": "keys queries values", "heads-in-front": "keys queries values",
    "heads-weights": "mask mask_bool attn_scores attn_weights", "heads-context": "context_vec",
    "heads-combined": "context_vec", "heads-output": "context_vecs", "gpt-batch": "batch",
    "gpt-attention": "context_vecs",
}


class GptAttention(Lesson, unittest.TestCase):
    lesson, step, blocks = "gpt-attention", "double-scaling", 24
    starts = r"Linear|Parameter|SelfAttention|Dropout|CausalAttention|torch|context"
    quick = ["--width", 24, "--context", 16]
    settings = [["--seed", 7], ["--d-out", 3], ["--d-out", 1], ["--dropout", 0], ["--dropout", 1], ["--heads", 6],
                ["--heads", 1], ["--width", 36], ["--context", 1]]
    same_flags = [["--num-heads", "--heads"], ["--d-model", "--width"], ["--context-length", "--context"]]
    same_value = 12
    rows = list(zip(*COLUMNS[:3]))
    shape = "Linear(in_features={width}, out_features=2, bias=True)"

    def values(self, *arguments):
        return {(s["id"], t["name"]): t["data"] for s in self.steps(*arguments) for t in s["tensors"]}

    def rounded(self, values, *key):
        return [round(float(v), 4) for v in flat(values[key])]

    def said(self, *arguments):
        return " ".join(self.learn(*self.small(*arguments)).out.split())

    def test_every_variable_of_the_source_has_its_name(self):
        found = {step["id"]: {t["name"] for t in step["tensors"]} for step in self.steps()}
        for step, names in GPT_ATTENTION_VARIABLES.items():
            self.assertLessEqual(set(names.split()), found[step], step)

    def test_the_root_is_taken_out_twice(self):
        values = self.values()
        self.assertEqual(self.rounded(values, "double-scaling", "last_row"),
                         [0.1713, 0.1747, 0.1739, 0.1597, 0.1531, 0.1673,
                          0.1731, 0.1780, 0.1769, 0.1568, 0.1478, 0.1674])
        self.assertEqual(self.rounded(values, "double-scaling", "right")[6:8], [0.5034, 0.4966])
        self.assertEqual(max(self.rounded(values, "double-scaling", "difference")), 0.0057)
        for d_out in 1, 3:
            values = self.values("--d-out", d_out)
            last = values["scaled-scores", "unscaled"][-1]
            for divisor, row in zip((d_out, d_out ** 0.5), values["double-scaling", "last_row"]):
                exps = [math.exp(v / divisor) for v in last]
                for e, w in zip(exps, row):
                    self.assertAlmostEqual(e / sum(exps), w, 6)

    def test_the_slips_are_computed(self):
        values = self.values()
        self.assertEqual(values["diagonal", "strict_weights"][0], ["NaN"] * 6)
        self.assertEqual(self.rounded(values, "softmax-dim", "column_sums"), [1] * 6)
        self.assertNotIn(1, self.rounded(values, "softmax-dim", "row_sums"))
        self.assertEqual(self.rounded(values, "dropout-growth", "growth"),
                         [1.1, 1.1111, 0.99, 1, 1.2, 1.25, 0.96, 1, 1.5, 2, 0.75, 1])
        self.assertEqual(values["draw-order", "ca.W_keys.weight"], values["draw-order", "other.W_query.weight"])
        self.assertNotEqual(values["draw-order", "ca.W_keys.weight"], values["draw-order", "ca.W_query.weight"])
        self.assertEqual(self.rounded(values, "heads-module", "one_head"),
                         [round(v, 4) for row in values["heads-module", "queries"][0] for v in row[:2]])
        self.assertNotEqual(values["argument-order", "y_right"], values["argument-order", "y_swapped"])
        self.assertEqual(values["gpt-sizes", "sizes"], [[12, 768, 12, 64, 2362368, 124439808],
                                                        [48, 1600, 25, 64, 10246400, 1557611200]])

    def test_sentences_hold_for_their_setting(self):
        text = self.said()
        for words in ("multiplied by 1 / (1 - 0.1): they grow by 11.11 %. (The source says 10 %.)", "is 0.1747 and should be 0.1780",
                      "ValueError: dropout probability has to be between 0 and 1, but got 2.0", "The size of tensor a (4) must match the size of tensor b (2)",
                      "with 4 heads and 2 tokens. There is no error", "98,304 multiplications"):
            self.assertIn(words.lower(), text.lower())
        self.assertIn("AssertionError: d_out must be divisible by num_heads", self.said("--context", 7))
        self.assertIn("multiplied by 1 / (1 - 0.25): they grow by 33.33 %. (The source says 25 %.)", self.said("--dropout", 0.25))
        self.assertNotIn("weights are multiplied by", self.said("--dropout", 1))
        self.assertNotIn("answers differently", self.said("--dropout", 0))
        self.assertIn("With d_k = 1 this does no harm", self.said("--d-out", 1))

    def test_the_large_step_has_flags_of_its_own(self):
        before, after = (self.learn("--outputs", *self.small(*flags), "--to", "argument-order").out
                         for flags in ([], ["--heads", 6, "--width", 36, "--context", 8]))
        self.assertEqual(before, after)

    def test_sizes_that_do_not_fit(self):
        run = self.learn("--heads", 5)
        self.assertEqual((run.code, run.out), (2, ""))
        for words in "768 cannot be cut into 5 equal parts; num_heads may be 1, 2, 3, 4, 6, 8, 12", "(with --heads 5)":
            self.assertIn(words, run.err)
        if not os.environ.get("SANITIZERS"):  # with them, refused memory ends the program
            run = self.learn("--heads", 4096, "--width", 4096, "--context", 4096)
            self.assertEqual((run.code, run.out), (1, ""))
            self.assertRegex(run.err, r"takes more than the \d.* of memory that are available: give fewer rows, or a smaller --.*--context")


# Variables of single-and-multi's source.
SINGLE_AND_MULTI_VARIABLES = {
    "inputs": "x", "single-projections": "Q K V", "single-scores": "attention_scores",
    "single-mask": "mask attention_scores", "single-weights": "attention_weights", "single-output": "attention_output",
    "multi-projections": "Q K V", "multi-view": "Q K V", "multi-transpose": "Q K V", "multi-scores": "attention_scores",
    "multi-mask": "mask attention_scores", "multi-weights": "attention_weights", "multi-context": "attention_output",
    "multi-combined": "attention_output", "multi-attention": "out", "gpt-single-ids": "inputs targets",
    "gpt-single-embeddings": "embeddings", "gpt-single-attention": "attn_output", "gpt-single-feed-forward": "ffn_output",
    "gpt-single-logits": "logits", "gpt-single-loss": "loss", "gpt-multi-logits": "logits loss",
    "gpt-multi-forward": "embeddings attn_output ffn_output",
}


class SingleAndMulti(Lesson, unittest.TestCase):
    lesson, step, blocks = "single-and-multi", "scale-before-mask", 35
    starts = r"SingleHead|MultiHead|torch|MyGPT|step|None"
    settings = [["--seed", 7], ["--width", 8], ["--heads", 4], ["--heads", 1], ["--hidden", 1], ["--vocab", 1]]
    same_flags = [["--num-heads", "--heads"], ["--d-model", "--width"], ["--hidden-dim", "--hidden"],
                  ["--vocab-size", "--vocab"]]
    same_value = 8

    def values(self, *arguments):
        return {(s["id"], t["name"]): t["data"] for s in self.steps(*arguments) for t in s["tensors"]}

    def said(self, *arguments):
        return " ".join(self.learn(*arguments).out.split())

    def with_rows(self, rows, *flags, shape=None, output="--outputs"):
        with tempfile.TemporaryDirectory() as folder:
            file = write_npy(Path(folder) / "x.npy", rows, shape=shape)
            return self.learn(output, "--inputs", file, *flags)

    def test_own_inputs(self):
        rows = [[0.1, -0.2], [0.3, 0.4], [1.5, 0.0]]
        twice = self.with_rows(rows, "--heads", 2)
        self.assertEqual((twice.code, twice.err), (0, ""))
        self.assertIn("torch.Size([2, 3, 2])", twice.out)
        self.assertEqual(self.with_rows(rows * 2, "--heads", 2, shape=(2, 3, 2)).out, twice.out)
        self.assertIn("torch.Size([1, 3, 2])", self.with_rows(rows, "--heads", 2, shape=(1, 3, 2)).out)
        self.assertIn("Embedding(5000, 2)", twice.out)
        for rows in [[1], [-2]], [[0, 0, 0], [0, 0, 0]], [[1e30, -1e30], [1e-30, 0]], [[float("nan"), 1], [1, 2]]:
            for output in "--outputs", "--plain":
                run = self.with_rows(rows, "--heads", 1, "--tokens", "to,be", output=output)
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertIn(f"torch.Size([2, 2, {len(rows[0])}])", run.out)

    def test_own_inputs_draw_nothing(self):
        x = self.values()["inputs", "x"]
        with tempfile.TemporaryDirectory() as folder:
            file = write_npy(Path(folder) / "x.npy", x[0] + x[1], shape=(2, 5, 16))
            own = self.values("--inputs", file)
        self.assertEqual(own["inputs", "x"], x)
        self.assertNotEqual(own["single-projections", "query.weight"], self.values()["single-projections", "query.weight"])
        self.assertEqual(own["gpt-multi-logits", "logits"], self.values()["gpt-multi-logits", "logits"])

    def test_widths_that_do_not_fit(self):
        rows = [[1.0] * 9] * 2
        for flags, words in ((["--width", 16], ["--width 16", "[2, 2, 9]"]), ([], ["9 cannot be cut into 8", "num_heads may be 1, 3, 9", "[2, 2, 9]"])):
            run = self.with_rows(rows, *flags)
            self.assertEqual((run.code, run.out), (2, ""))
            for word in words:
                self.assertIn(word, run.err)
        self.assertEqual(self.with_rows(rows, "--width", 9, "--heads", 3).code, 0)
        run = self.learn("--heads", 3)
        self.assertEqual((run.code, run.out), (2, ""))
        self.assertIn("16 cannot be cut into 3 equal parts; num_heads may be 1, 2, 4, 8, 16 (with --heads 3)", run.err)

    def test_every_variable_of_the_source_has_its_name(self):
        found = {step["id"]: {t["name"] for t in step["tensors"]} for step in self.steps()}
        for step, names in SINGLE_AND_MULTI_VARIABLES.items():
            self.assertLessEqual(set(names.split()), found[step], step)

    def test_costs(self):
        values = self.values("--width", 12, "--heads", 3)
        self.assertEqual(values["single-against-multi", "parameters"], [3 * 12 * 13, 4 * 12 * 13])
        self.assertEqual(values["single-against-multi", "score_multiplications"], [2 * 5 * 5 * 12] * 2)
        self.assertEqual(values["single-against-multi", "weights"], [50, 150])
        products = 2 * (3 * 5 * 12 * 12 + 2 * 5 * 5 * 12)
        self.assertEqual(values["single-against-multi", "multiplications"], [products, products + 2 * 5 * 12 * 12])

    def test_any_length(self):
        values = self.values()
        output = values["single-output", "attention_output"]
        for b in range(2):
            for a, c in zip(flat(values["any-length", "output_7"][b][:5]), flat(output[b])):
                self.assertAlmostEqual(a, c, 6)
            for a, c in zip(flat(values["any-length", "output_3"][b]), flat(output[b][:3])):
                self.assertAlmostEqual(a, c, 6)
        self.assertEqual(values["any-length", "mask_3"],
                         [[False, True, True], [False, False, True], [False, False, False]])

    def test_heads_and_tokens_are_not_mixed_up(self):
        values = self.values("--heads", 4)
        Q = values["multi-projections", "Q"]
        self.assertEqual(values["multi-transpose", "Q"],
                         [[[row[4 * h:4 * h + 4] for row in sentence] for h in range(4)] for sentence in Q])
        self.assertNotEqual(values["multi-transpose", "straight"], values["multi-transpose", "Q"])
        one = self.values("--heads", 1)
        self.assertEqual(one["multi-transpose", "straight"], one["multi-transpose", "Q"])

    def test_the_loss_is_the_mean_over_positions(self):
        values = self.values("--vocab", 7)
        for model, logits, loss in (("single", "logits", "loss"), ("multi", "logits", "logits")):
            rows = [row for sentence in values[f"gpt-{model}-{logits}", "logits"] for row in sentence]
            targets = flat(values[f"gpt-{model}-argmax", "targets"])
            losses = [math.log(sum(map(math.exp, row))) - row[t] for row, t in zip(rows, targets)]
            self.assertAlmostEqual(sum(losses) / 10, values[f"gpt-{model}-{loss}", "loss"], 5)
            self.assertAlmostEqual(values[f"gpt-{model}-training", "training_losses"][0], sum(losses) / 10, 5)

    def test_only_what_occurs_gets_a_gradient(self):
        values = self.values()
        ids = set(flat(values["gpt-single-ids", "inputs"]))
        grads = values["gpt-single-embedding-rows", "token_grad"]
        self.assertEqual({i for i, g in enumerate(grads) if g > 0}, ids)
        self.assertEqual([g > 0 for g in values["gpt-single-embedding-rows", "position_grad"]], [True] * 5 + [False] * 3)

    def test_sentences_hold_for_their_setting(self):
        text = self.said()
        for words in ("96.9 % stand in the table of positions", "num_heads=d_model + 1) AssertionError",
                      "ln 20 = 2.9957", "ln_f.weight.grad is None", "it mixes the tokens up",
                      "still -inf, and the same weights come out", "hold 816 numbers to learn",
                      "every number by about 0.001, the learning rate lr"):
            self.assertIn(words, text)
        text = self.said("--heads", 1)
        self.assertNotIn("it mixes the tokens up", text)
        self.assertIn("With one head there is nothing to mix up", text)
        self.assertIn("ln 50 = 3.9120", self.said("--vocab", 50))
        self.assertNotIn("the learning rate lr", self.said("--vocab", 1))

    def test_own_weights(self):
        with tempfile.TemporaryDirectory() as folder:
            file = write_npy(Path(folder) / "w.npy", [[0.0] * 16] * 20)
            values = self.values("--weights", f"gpt_multi.fc_out.weight={file}")
            bias = write_npy(Path(folder) / "b.npy", [0.0] * 20, shape=(20,))
            both = self.values("--weights", f"gpt_multi.fc_out.weight={file}", "--weights", f"gpt_multi.fc_out.bias={bias}")
        self.assertEqual(flat(values["gpt-multi-logits", "fc_out.weight"]), [0] * 320)
        self.assertNotEqual(flat(values["gpt-single-logits", "fc_out.weight"]), [0] * 320)
        self.assertAlmostEqual(both["gpt-multi-logits", "loss"], math.log(20), 5)


class Cat(Lesson, unittest.TestCase):
    lesson, step, blocks = "cat", "raw-against-scaled", 19
    starts = r"Query|Key|Value|Queries|torch|Causal|MultiHead"
    settings = [["--seed", 7], ["--d-out", 3], ["--d-out", 1], ["--heads", 1], ["--dropout", 0.25], ["--dropout", 1]]
    rows = list(zip(*COLUMNS))

    def test_the_slips_are_computed(self):
        values = {(s["id"], t["name"]): t["data"] for s in self.steps() for t in s["tensors"]}
        rounded = lambda *key: [round(float(v), 4) for v in flat(values[key])]
        self.assertEqual(rounded("raw-against-scaled", "raw_against_scaled"),
                         [0.0444, 0.3066, 0.5052, 0.0167, 0.0551, 0.0720,
                          0.1000, 0.2627, 0.3372, 0.0614, 0.1114, 0.1273])
        self.assertEqual(rounded("scores-reversed", "reversed_2"), [4.9211, 5.9807, 6.4582, 2.9053, 4.4732, 4.1855])
        self.assertEqual(rounded("causal-table", "causal_weights")[6:12], [0.2756, 0.7244, 0, 0, 0, 0])
        self.assertEqual(rounded("exponentials", "exps"), [54.5982, 2.7183, 0.3679])
        self.assertEqual(rounded("no-leak", "causal_leak")[:5], [0] * 5)
        self.assertEqual(flat(values["wrapper-against-split", "products"]), [40, 6])
        self.assertEqual(values["same-computation", "wrapper"], values["same-computation", "split"])


class Climb(Lesson, unittest.TestCase):
    lesson, step, blocks = "climb", "pair-score", 17
    starts = r"Simple|Single|torch"
    settings = [["--seed", 7], ["--context", 3], ["--context", 5], ["--context", 1], ["--width", 1], ["--head-size", 1]]
    same_flags = [[name, "--context"] for name in ("--context-length", "--chunk-size")]
    same_flags += [[name, "--width"] for name in ("--d-model", "--token-emb-dim")]
    shape = "torch.Size([2, 2, 4])"

    @property
    def rows(self):
        return self.tensors()["inputs", "x"]

    def alike(self, out):
        return out.partition("SingleSelfAttentionHead(")[0]  # rows from a file draw no numbers, so the weights differ

    def tensors(self, *arguments):
        return {(s["id"], t["name"]): t["data"] for s in self.steps(*arguments) for t in s["tensors"]}

    def said(self, *arguments):
        return " ".join(self.learn(*arguments).out.split())

    def rounded(self, *key):
        return [round(float(v), 4) for v in flat(self.tensors()[key])]

    def test_words_are_rows_of_a_table(self):
        found = self.tensors()
        self.assertEqual(found["chunk-and-target", "chunk"][1:], found["chunk-and-target", "target"][:-1])
        self.assertEqual(found["embedding-lookup", "embedded"], found["inputs", "x"][0])
        self.assertEqual(found["one-hot", "product"], found["inputs", "x"][0])
        self.assertEqual(found["next-token-pairs", "contexts"][2], [0, 1, 4, -1])

    def test_zeros_and_ones_give_the_same_average(self):
        found = self.tensors()
        for name in ("ones-masked-normalised", "normalised"), ("text-to-the-letter", "from_ones"):
            self.assertEqual(found[name], found["average-weights", "weights"][0])

    def test_the_slips_are_computed(self):
        self.assertEqual(self.rounded("text-to-the-letter", "by_text")[:4], [0.4754, 0.1749, 0.1749, 0.1749])
        self.assertEqual(self.rounded("zero-instead-of-inf", "zero_filled")[:4], [0.2407, 0.2531, 0.2531, 0.2531])
        self.assertEqual(self.rounded("average-limits", "moved")[1:], [0, 0, 0])
        self.assertEqual(self.rounded("pair-score", "scaled"), [-0.0836])
        raw, scaled = (self.rounded("dot-product-variance", name)[2] for name in ("variance", "scaled_variance"))
        self.assertTrue(15 < raw < 17 and 0.95 < scaled < 1.05)

    def test_errors_are_the_engines(self):
        mismatch = "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}"
        for arguments, numbers in [([], (4, 3, 2)), ([], (4, 5, 2)), ([], (2, 3, 0)), (["--context", 7], (7, 6, 2))]:
            self.assertIn(mismatch.format(*numbers), self.said(*arguments))
        self.assertIn("A mask for one token fits every chunk", self.said("--context", 1))

    def test_a_step_makes_the_loss_smaller(self):
        before, after = self.tensors()["one-step", "losses"]
        self.assertTrue(after < before)

    def test_flags_that_the_file_contradicts(self):
        with tempfile.TemporaryDirectory() as folder:
            file = write_npy(Path(folder) / "x.npy", [0.5] * 30, shape=(1, 5, 6))
            for flag, size in ("--context", 4), ("--width", 5):
                run = self.learn("--outputs", "--inputs", file, flag, size)
                self.assertEqual((run.code, run.out), (2, ""))
                self.assertIn(f"{flag} {size} and --inputs do not go together", run.err)
            self.assertEqual(self.learn("--inputs", file, "--context", 5, "--width", 6).code, 0)

    def test_inputs_that_are_not_finite(self):
        with tempfile.TemporaryDirectory() as folder:
            file = write_npy(Path(folder) / "x.npy", [[1.0, float("nan")], [2.0, 3.0]])
            text = self.said("--inputs", file)
            for words in "whatever its score", "none is negative", "is just its own value", "stay the same", "is now half":
                self.assertNotIn(words, text)
                self.assertIn(words, self.said())


if __name__ == "__main__":
    unittest.main()
