#!/usr/bin/env python3
"""`check`: every lesson against what its source printed; `diff`: two runs side by side; `verify`; the groups of --help."""
import json
import random
import re
import struct
import tempfile
import unittest
import zlib
from pathlib import Path

from program import GOLDEN, ROOT, glassgrad, write_npy
from training import Folder, write_safetensors

TEXTS = {file.stem: file for file in sorted(GOLDEN.glob("**/*.txt"))
         if file.with_suffix(".py").exists() and file.stem != "huggingface"}


class Check(unittest.TestCase):
    def test_every_lesson_prints_what_its_source_prints(self):
        run = glassgrad("check")
        self.assertEqual((run.code, run.err), (0, ""))
        lines = {line.split()[1]: line for line in run.out.splitlines()}
        self.assertLessEqual(set(TEXTS), set(lines))
        for lesson in lines:
            self.assertRegex(lines[lesson], r"^ok +\S+ +(\d+) of \1 printed values$")

    def test_the_checksums_are_those_of_pytorchs_text(self):
        table = (ROOT / "apps/prove/source_checksums.def").read_text()
        known = re.findall(r'PRINTED\("(\S+)", "(\S+)", 0x([0-9a-f]{8})\)', table)
        for lesson, file in TEXTS.items():
            text, place = file.read_text().splitlines(keepends=True), 0
            crcs = [int(crc, 16) for of, _, crc in known if of == lesson]
            self.assertTrue(crcs)
            for crc in crcs:  # each is the checksum of the next lines
                count = next((n for n in range(1, min(300, len(text) - place) + 1)
                              if zlib.crc32("".join(text[place:place + n]).encode()) == crc), None)
                self.assertIsNotNone(count, f"{lesson}:{place + 1}: python3 tests/golden/checksums.py")
                place += count
            self.assertEqual(place, len(text), lesson)

    def test_texts_of_ones_own(self):
        for folder in GOLDEN, GOLDEN / "lessons":
            run = glassgrad("check", "--source", folder)
            self.assertEqual((run.code, run.err), (0, ""))
        with tempfile.TemporaryDirectory() as folder:
            text = (GOLDEN / "journey.txt").read_text()
            file = Path(folder) / "journey.txt"
            file.write_text(text.replace("\n", "\r\n"), newline="")
            self.assertEqual(glassgrad("check", "--source", folder).code, 0)
            for changed in text.replace("0.5517, 0.4483", "0.5517, 0.4482", 1), text[:len(text) // 2], text + "1\n":
                file.write_text(changed)
                run = glassgrad("check", "journey", "--source", folder)
                self.assertEqual(run.code, 1)
                self.assertRegex(run.out, r"^wrong +journey +\d+ of (\d+) printed values, the first in step [a-z0-9-]+\n")
                self.assertRegex(run.err, r"^glassgrad: 1 of 1 lessons .* journey, step [a-z0-9-]+\n$")
            file.write_text(text.replace("0.5517, 0.4483", "0.5517, 0.4482", 1))
            run = glassgrad("check", "--source", folder)
            self.assertIn("step renormalised", run.err)
            self.assertIn("[0.5517, 0.4482, 0.0000", run.out)
            file.unlink()
            self.assertEqual(glassgrad("check", "journey", "--source", folder).code, 1)
            self.assertEqual(glassgrad("check", "--source", folder).code, 2)

    def test_wrong_arguments(self):
        for arguments, words in ((["jurney"], "journey"), (["--source", "/no/such"], "no folder")):
            run = glassgrad("check", *arguments)
            self.assertEqual((run.code, run.out), (2, ""))
            self.assertIn(words, run.err)


class Diff(unittest.TestCase):
    def diff(self, *arguments):
        run = glassgrad("diff", *arguments)
        differs = "The first difference: " in " ".join(run.out.split())
        self.assertEqual((run.code, run.err.count("\n")), (differs, differs), arguments)
        self.assertLessEqual(max(map(len, run.out.splitlines())), 80, run.out)
        return run.out

    def test_one_lesson_with_two_settings(self):
        self.assertIn("No difference beyond rounding", self.diff("journey", "journey --seed 0123"))
        text = self.diff("journey", "journey --seed 7")
        self.assertIn("95 of 173 pairs of tensors differ. The first difference: projection-weights:W_query[0,0] is 0.2961 "
                      "on the left, 0.5349 on the right.", " ".join(text.split()))
        self.assertIn("78 pairs are equal: inputs:inputs, ", text)
        self.assertNotIn("Without a counterpart", text)
        text = self.diff("journey", "journey --seed 7", "--all")
        self.assertRegex(text, r"\n  Your    ~0.2309 ~1.0966    Your    ~0.5361 ~0.5623\n")
        for named in ('keys-values:queries All 12 cells differ, most at [1,0] (row "journey"): ', 'most at [1,5] (row "journey", column "step")',
                      'Only columns 1 ("journey"), 3 ("with"), 4 ("one") and 5 ("step") differ'):
            self.assertIn(named, " ".join(text.split()))
        text = self.diff("journey", "journey --seed 7 --tokens a,b,c,d,e,f", "--all")
        self.assertIn("keys-values:queries All 12 cells differ, most at [1,0]: ", " ".join(text.split()))
        self.assertIn("keys-values:keys: The shapes differ, [6, 2] and [6, 4].", self.diff("journey", "journey --d-out 4"))

    def test_two_lessons(self):
        text = self.diff("journey", "gpt-attention --width 24 --context 8")
        self.assertIn("Both read the inputs of the left one, [6, 3].", text)
        self.assertIn("causal-scores:attn_scores | causal-scores:att_scores", text)
        text = self.diff("cat --d-out 2", "climb --head-size 2")
        self.assertIn("attn_weights | weights:attention_weights", text)

    def test_the_exit_code_and_the_json(self):
        same = glassgrad("diff", "journey", "journey", "--format", "json")
        found = json.loads(same.out)
        self.assertEqual((same.code, same.err, found["first_difference"]), (0, "", None))
        self.assertEqual({pair["found"] for pair in found["pairs"]}, {"equal"})
        other = glassgrad("diff", "journey", "journey --d-out 4 --seed 7", "--format", "json")
        found = json.loads(other.out)
        first = found["pairs"][found["first_difference"]]
        self.assertEqual((first["left"], first["found"], first["shapes"]), ("projection-weights:W_query", "shapes", [[3, 2], [3, 4]]))
        self.assertEqual(other.code, 1)
        self.assertRegex(other.err, r"^glassgrad: \d+ of \d+ pairs differ, first projection-weights:W_query and projection-weights:W_query\n$")
        heads = glassgrad("diff", "journey.SelfAttention_v2", "journey.CausalAttention", "--format", "json")
        found = json.loads(heads.out)
        first = found["pairs"][found["first_difference"]]
        self.assertEqual((heads.code, first["found"], first["cells"], first["values"][1]),
                         (1, "different", [[0, 1], [0, 0, 1]], "-Infinity"))
        shown = glassgrad("diff", "journey.SelfAttention_v2", "journey.CausalAttention").out
        self.assertEqual(len(found["alone"]["right"]), int(re.search(r"on the left, (\d+) on the right\.", " ".join(shown.split()))[1]))
        self.assertIn("Exit code: 0 no difference", glassgrad("diff", "--help").out)

    def test_wrapper_and_split_heads_are_one_computation(self):
        for names in (["journey.MultiHeadAttentionWrapper", "journey.MultiHeadAttention"],
                      ["cat.MultiHeadAttention", "single-and-multi.MultiHeadAttention"],
                      ["journey.SelfAttention_v1", "gpt-attention.SelfAttention"],
                      ["journey.CausalAttention", "climb.SingleSelfAttentionHead"]):
            text = " ".join(self.diff(*names, "--all").split())
            self.assertIn("the same weights", text)
            self.assertRegex(text, r"pairs? (is|are) equal[^:]*: [^:]*\boutput\b")

    def test_what_differs_is_said_and_marked(self):
        text = self.diff("journey.SelfAttention_v2", "journey.CausalAttention")
        said = " ".join(text.split())
        self.assertIn("Only cells of the future differ, where the column is larger than the row: on the right each is -inf "
                      "there.", said)
        self.assertIn("Every row but 5 differs, most at ", said)
        self.assertIn("No cell of the future differs", self.diff("journey", "journey --seed 7"))
        marked = re.search(r"(?m)^  1 -0\.\d\d -0\.\d\d~-0\.\d\d~.* 1 -0\.\d\d -0\.\d\d ~-inf ~-inf ~-inf ~-inf$", text)
        self.assertIsNotNone(marked, text)
        self.assertIn("Every number on the right is smaller by 0.5000.", self.diff("cat", "climb"))
        wide = self.diff("gpt-attention --width 24 --context 16", "gpt-attention --width 24 --context 16 --seed 5", "--all")
        self.assertRegex(wide, r"(?m)^  +0 ( +~?-?\d\.\d+)+ +\.\. ")

    def test_classes_that_compute_something_else(self):
        text = self.diff("journey.SelfAttention_v2", "journey.CausalAttention")
        self.assertIn("3 pairs are equal: keys, queries, values\n", text)
        self.assertIn("The first difference: scaled_scores[0,1] is ", " ".join(text.split()))
        self.assertIn("scaled_scores[0,0,1] is -inf on the right", " ".join(text.split()))
        self.assertIn("attn_weights[0,0,0] is 1.0000 on the left, 1.1111 on the right.",
                      " ".join(self.diff("journey.CausalAttention", "gpt-attention.CausalAttention").split()))

    def test_wrong_arguments(self):
        for arguments, words in ((["jurney", "cat"], "journey"), (["journey"], "two"), (["journey", "cat", "--format", "xml"], "--format"), (["journey", "cat --sed 1"], "--seed"),
                                 (["journey", "cat --seed"], "--seed"), (["journey", "cat --seed x"], "--seed"),
                                 (["journey.Causal", "cat.CausalAttention"], "journey.CausalAttention"),
                                 (["journey", "cat.CausalAttention"], "not one of each"),
                                 (["journey", "single-and-multi"], "inputs [6, 3]"), (["", ""], "two"),
                                 (["journey.CausalAttention", "single-and-multi.MyGPT"], "token numbers")):
            run = glassgrad("diff", *arguments)
            self.assertEqual((run.code, run.out), (2, ""), run.err)
            self.assertIn(words, run.err)
            self.assertEqual(run.err.count("\n"), 1, run.err)


class Verify(Folder):
    def verify(self, path):
        return glassgrad("verify", path)

    def test_one_flipped_bit(self):
        self.trained()
        run = self.verify(self.run_folder)
        self.assertEqual((run.code, run.err, run.out.count("all checksums right; a training after step 4")), (0, "", 2))
        file = self.run_folder / "best.safetensors"
        whole = file.read_bytes()
        header = 8 + struct.unpack("<Q", whole[:8])[0]
        key = whole.find(b'"crc32"')
        places = [0, 3, 8, 9, header - 1, header, len(whole) - 1, *range(key - 2, key + 20),
                  *random.Random(1).sample(range(header), 40), *random.Random(2).sample(range(header, len(whole)), 20)]
        for place in places:
            changed = bytearray(whole)
            changed[place] ^= 1 << place % 8
            file.write_bytes(changed)
            run = self.verify(file)
            self.assertEqual((run.code, run.out, run.err.count("\n")), (1, "", 1), place)
        file.write_bytes(whole[:-1])
        self.assert_fails(self.verify(file), "best.safetensors")

    def test_other_files(self):
        file = write_npy(self.folder / "x.npy", [[1.0, 2.0]])
        self.assertIn("2 numbers of shape [1, 2]; this format has no checksum", self.verify(file).out)
        nan = write_npy(self.folder / "nan.npy", [[1.0, float("nan")]])
        self.assertIn("nan or infinity in the array", self.verify(nan).out)
        self.assert_fails(glassgrad("verify", nan, "--check-finite"), "nan or infinity in the array")
        foreign = self.folder / "x.safetensors"
        write_safetensors(foreign, {"a": 3}, {})
        self.assertIn("1 tensor, 3 numbers; it has no checksums", self.verify(foreign).out)
        self.assert_fails(self.verify(self.folder / "none.npy"), "none.npy")
        self.assert_fails(self.verify(self.write("y.npy", b"PK")), "y.npy")
        self.assert_fails(self.verify(self.folder), "holds no checkpoint")
        self.assert_fails(glassgrad("verify"), "which file", code=2)


class Help(unittest.TestCase):
    def test_commands_stand_in_groups(self):
        text = glassgrad("--help-all").out
        self.assertEqual(re.findall(r"^([A-Z]\w+):$", text, re.M), ["Options", "Learn", "Model", "Prove"])
        for group, commands in ("Learn", ["learn", "build", "review", "diff", "graph", "docs"]), ("Prove", ["check"]), \
                ("Model", ["train", "generate", "inspect", "convert", "verify"]):
            listed = re.search(rf"^{group}:\n((?:  .*\n)+)", text, re.M)[1]
            for command in commands:
                self.assertRegex(listed, rf"(?m)^  {command} ")
        for command in [], ["graph"], ["check"], ["diff"]:
            self.assertLessEqual(max(map(len, glassgrad(*command, "--help").out.splitlines())), 80)


if __name__ == "__main__":
    unittest.main()
