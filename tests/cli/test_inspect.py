#!/usr/bin/env python3
"""`inspect`: what a trained model computes when it reads a text."""
import ast
import json
import math
import os
import re
import struct
import unittest

from lesson import flat, shape_of
from program import glassgrad
from training import SMALL, Folder, read_checkpoint

TEXT = "cats climb trees during"
TOKENS = ["cats", "␣climb", "␣trees", "␣during"]
WIDTH, HEADS = 16, 2
CODES = {"<f4": "f", "<i8": "q", "|b1": "?"}


def read_npy(path):
    """Shape and values of a .npy file, read by hand."""
    data = path.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10:10 + length].decode())
    code = CODES[header["descr"]]
    count = (len(data) - 10 - length) // struct.calcsize(code)
    return header["shape"], list(struct.unpack(f"<{count}{code}", data[10 + length:]))


def norm(x, weight, bias):
    mean = sum(x) / len(x)
    root = math.sqrt(sum((v - mean) ** 2 for v in x) / len(x) + 1e-5)
    return [(v - mean) / root * w + b for v, w, b in zip(x, weight, bias)]


def linear(x, rows, bias):
    return [sum(v * w for v, w in zip(x, row)) + b for row, b in zip(rows, bias)]


def gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def softmax(x):
    powers = [math.exp(v - max(x)) for v in x]
    return [p / sum(powers) for p in powers]


class Weights:
    """Those of a checkpoint: vectors, and matrices as lists of rows."""

    def __init__(self, path):
        self.header, self.data = read_checkpoint(path)
        self.start = 8 + struct.unpack("<Q", self.data[:8])[0]

    def __getitem__(self, name):
        entry = self.header[name]
        begin, end = (self.start + at for at in entry["data_offsets"])
        values = struct.unpack(f"<{(end - begin) // 4}f", self.data[begin:end])
        if len(entry["shape"]) == 1:
            return values
        width = entry["shape"][1]
        return [values[at:at + width] for at in range(0, len(values), width)]


class Inspecting(Folder):
    def setUp(self):
        super().setUp()
        self.trained()

    def inspect(self, *arguments, text=TEXT):
        return glassgrad("inspect", self.run_folder, "--text", text, *arguments, cwd=self.folder, encoding="utf-8")

    def shown(self, *arguments, **options):
        run = self.inspect(*arguments, **options)
        self.assertEqual((run.code, run.err), (0, ""))
        return run.out

    def tensors(self, *arguments):
        """By address, and the tokens."""
        run = json.loads(self.shown("--format", "json", *arguments))
        return {f"{step['id']}:{t['name']}": t["data"] for step in run["steps"] for t in step["tensors"]}, run["tokens"]

    def without(self, tensors, head):
        """The probabilities after the last token, computed here from what out_proj was given."""
        w = Weights(self.run_folder / "best.safetensors")
        block, size = "trf_blocks.0.", WIDTH // HEADS
        combined = [0 if at // size == head else v for at, v in enumerate(tensors["layer-0-context:combined"][0][-1])]
        attended = linear(combined, w[block + "att.out_proj.weight"], w[block + "att.out_proj.bias"])
        x = [a + b for a, b in zip(tensors["embeddings:x"][0][-1], attended)]
        hidden = linear(norm(x, w[block + "norm2.weight"], w[block + "norm2.bias"]), w[block + "ff.layers.0.weight"],
                        w[block + "ff.layers.0.bias"])
        fed = linear([gelu(h) for h in hidden], w[block + "ff.layers.2.weight"], w[block + "ff.layers.2.bias"])
        x = norm([a + b for a, b in zip(x, fed)], w["final_norm.weight"], w["final_norm.bias"])
        rows = w["tok_emb.weight"]
        return softmax(linear(x, rows, [0] * len(rows)))

    def test_it_records_the_whole_run(self):
        tensors, tokens = self.tensors()
        self.assertEqual(tokens, TOKENS)
        weights = tensors["layer-0-weights:attn_weights"]
        self.assertEqual(shape_of(weights), (1, HEADS, 4, 4))
        for head in weights[0]:
            for at, row in enumerate(head):
                self.assertAlmostEqual(sum(row), 1, places=6)
                self.assertEqual(row[at + 1:], [0] * (3 - at))
        scores = tensors["layer-0-scores:attn_scores"][0][1]
        masked = tensors["layer-0-masked-scores:masked_scores"][0][1]
        self.assertEqual(masked[1], [*scores[1][:2], "-Infinity", "-Infinity"])
        for row, scaled in zip(weights[0][1][3], softmax([s / math.sqrt(WIDTH / HEADS) for s in scores[3]])):
            self.assertAlmostEqual(row, scaled, places=6)
        for p, expected in zip(tensors["next-token:probabilities"], softmax(tensors["logits:logits"][0][-1])):
            self.assertAlmostEqual(p, expected, places=6)

    def test_the_zeroed_head(self):
        tensors, _ = self.tensors()
        before = tensors["next-token:probabilities"]
        top = before.index(max(before))
        for p, expected in zip(before, self.without(tensors, None)):
            self.assertAlmostEqual(p, expected, places=5)
        changes = tensors["zeroed-head:change"]
        self.assertEqual(shape_of(changes), (1, HEADS))
        for head in range(HEADS):
            asked, _ = self.tensors("--zero", f"0.{head}")
            after = asked["zeroed-head:probabilities"]
            self.assertNotEqual(after, before)
            self.assertNotIn("zeroed-head:change", asked)
            for p, expected in zip(after, self.without(tensors, head)):
                self.assertAlmostEqual(p, expected, places=5)
            self.assertAlmostEqual(changes[0][head], after[top] - before[top], places=6)
            shown = " ".join(self.shown("--zero", f"0.{head}").split())
            self.assertIn(f"Without head {head} of layer 0", shown)
            self.assertIn(f"is {before[top]:.4f} with the head and {after[top]:.4f} without it", shown)
        strongest = max(range(HEADS), key=lambda head: abs(changes[0][head]))
        self.assertIn(f"Without head {strongest} of layer 0", self.shown())
        self.assertIn("Attention weights are not an explanation", " ".join(self.shown().split()))
        self.assertIn("Each head's context vector was set to 0", self.shown())
        self.assertEqual(self.shown("--zero", "all"), self.shown())

    def test_the_report_is_for_reading(self):
        shown, (tensors, _) = self.shown(), self.tensors()
        self.assertNotIn("\033", shown)
        weights = shown[shown.index("Layer 0: attention weights"):shown.index("\nWithout head")]
        self.assertIn("attn_weights  (B=1 batch, h=2 heads, T=4 queries, T=4 keys)", weights)
        for word in ("batch 0, head 0", "batch 0, head 1", "row sum", *TOKENS):
            self.assertIn(word, weights)
        last = next(line for line in weights.splitlines() if line.startswith("␣during"))
        marked = "".join(rf"\s+{v:.4f}[-.+*@]" for v in tensors["layer-0-weights:attn_weights"][0][0][3])
        self.assertRegex(last, rf"␣during{marked}\s+1\.0000")
        self.assertTrue(all(len(line) <= 80 for line in shown.splitlines()))

    def test_it_begins_with_the_finding(self):
        (tensors, _), shown = self.tensors(), self.shown()
        changes, before = tensors["zeroed-head:change"][0], tensors["next-token:probabilities"]
        head = max(range(HEADS), key=lambda h: abs(changes[h]))
        found = " ".join(shown[:shown.index("\n\n")].split())
        moved = "falls" if changes[head] < 0 else "rises"
        self.assertTrue(found.startswith("What was found After \"␣during\" the model expects "), found)
        self.assertIn(f"with a probability of {max(before):.4f}. Of the model's 2 heads, the one that counts most is head "
                      f"{head} of layer 0: without it the probability of ", found)
        self.assertIn(f" {moved} to {max(before) + changes[head]:.4f}.", found)
        row = tensors["layer-0-weights:attn_weights"][0][head][3]
        self.assertIn(f'that head looks most at "{TOKENS[row.index(max(row))]}" ({max(row):.2f})', found)
        self.assertIn("You asked about head 1 of layer 0: ", " ".join(self.shown("--zero", "0.1").split()))

    def test_no_weight_has_more_digits_than_there_is_room_for(self):
        self.train("--layers", 1, "--heads", 2, "--width", 16, "--context", 16, "--steps", 4, "--force")
        for count, digits in (4, 4), (7, 4), (9, 3), (11, 2), (14, 4):
            shown = self.shown(text=" climb" * count)
            weights = shown[shown.index("Layer 0: attention weights"):shown.index("\nWithout head")]
            self.assertEqual({len(d) for d in re.findall(r"\d\.(\d+)[-.+*@]", weights)}, {digits}, count)
            self.assertTrue(all(len(line) <= 80 for line in weights.splitlines()))
            self.assertNotIn("columns 0 to", weights)
            self.assertNotIn("e-0", weights)

    def test_the_likeliest_tokens(self):
        probabilities = sorted(self.tensors()[0]["next-token:probabilities"], reverse=True)
        for flags, count in (([], 10), (["--top", 3], 3), (["--top", 10 ** 9], len(probabilities))):
            lines = re.findall(r"^\S+ +(\d\.\d{4})(?: (#+))?$", self.shown(*flags), re.M)
            self.assertEqual([p for p, _ in lines], [f"{p:.4f}" for p in probabilities[:count]])
            for (_, bar), p in zip(lines, probabilities):
                self.assertEqual(len(bar), round(40 * p))

    def test_one_head_of_one_layer(self):
        self.train("--layers", 2, *SMALL[2:], "--steps", 4, "--force")
        shown = self.shown("--layer", 1, "--head", 1)
        self.assertIn("attn_weights[0, 1]  (T=4 queries, T=4 keys)", shown)
        self.assertEqual(shown.count("attn_weights"), 1)
        self.assertNotIn("Layer 0: attention weights", shown)
        last = next(line for line in shown[shown.index("Layer 1"):].splitlines() if line.startswith("␣during"))
        row = self.tensors()[0]["layer-1-weights:attn_weights"][0][1][3]
        self.assertEqual(re.findall(r"\d\.\d{4}", last)[:4], [f"{v:.4f}" for v in row])

    def test_every_tensor_can_be_saved(self):
        tensors, _ = self.tensors()
        files = {address: self.folder / f"{n}.npy" for n, address in enumerate(tensors)}
        self.shown(*(word for address, file in files.items() for word in ("--npy", f"{address}={file}")))
        for address, file in files.items():
            shape, values = read_npy(file)
            self.assertEqual(shape, shape_of(tensors[address]), address)
            self.assertEqual(values, [float(v) for v in flat(tensors[address])], address)

    def test_one_token_and_as_many_as_fit(self):
        self.assertIn("row sum", self.shown(text="cats"))
        self.assertNotIn("...", self.shown(text=" climb" * 8))
        self.assert_fails(self.inspect(text=" climb" * 9), "9 tokens", "8 at once", code=2)

    def test_what_the_report_leaves_out(self):
        self.train("--layers", 1, "--heads", 2, "--width", 16, "--context", 16, "--steps", 4, "--force")
        shown = self.shown(text=" climb" * 12)
        self.assertIn("...", shown)
        self.assertIn("--npy give all numbers", " ".join(shown.split()))

    def test_bytes_that_are_no_text(self):
        run = glassgrad("inspect", self.run_folder, "--text", os.fsdecode(b"\xff\x1b[1m\n"), encoding="utf-8")
        self.assertEqual(run.code, 0)
        self.assertEqual(run.err, 'glassgrad: the model has never read the words "\\xff\\x1b[", "1" and "m": '
                                  'they have no token, so it gets single bytes instead\n')
        self.assertNotIn("\033", run.out)
        self.assertIn("\\xff", run.out)

    def test_what_cannot_be_inspected(self):
        for flags, words in ((["--layer", 1], ["--layer", "0 to 0"]), (["--head", 2], ["--head", "0 to 1"]),
                             (["--head", "x"], ["--head"]), (["--zero", "0.2"], ["--zero", "0.1", "0.2"]),
                             (["--zero", "0"], ["--zero"]), (["--zero", "."], ["--zero"]), (["--top", 0], ["--top"]),
                             (["--format", "xml"], ["--format", "xml"]), (["--npy", "x"], ["STEP:TENSOR=FILE"]),
                             (["--npy", "=x"], ["--npy"]), (["--npy", "logits:logits="], ["--npy"]),
                             (["--topp", 1], ["--top"])):
            with self.subTest(flags):
                self.assert_fails(self.inspect(*flags), *words, code=2)
        self.assert_fails(self.inspect(text=""), "--text is empty", code=2)
        self.assert_fails(glassgrad("inspect"), "which text", code=2)
        self.assert_fails(glassgrad("inspect", self.run_folder), "which text", code=2)
        self.assert_fails(glassgrad("inspect", self.folder, "--text", TEXT), "holds no checkpoint")
        self.assert_fails(glassgrad("inspect", self.write("junk", "junk"), "--text", TEXT), "junk")

    def test_addresses_that_do_not_exist(self):
        good = f"logits:logits={self.folder / 'good.npy'}"
        run = self.inspect("--npy", good, "--npy", f"layer-0-wieghts:attn_weights={self.folder / 'bad.npy'}")
        self.assert_fails(run, "layer-0-wieghts:attn_weights", "did you mean layer-0-weights:attn_weights?", code=2)
        self.assertEqual((run.out, list(self.folder.glob("*.npy"))), ("", []))
        run = self.inspect("--npy", f"logits:logits={self.folder / 'none' / 'x.npy'}")
        self.assert_fails(run, "x.npy")


if __name__ == "__main__":
    unittest.main()
