#!/usr/bin/env python3
"""What `train` reads and writes beside texts and checkpoints: watch.json, files of tokens, GPT-2's tokenizer."""
import json
import struct
import unittest

from lesson import flat
from program import GOLDEN, glassgrad
from training import SMALL, Folder, read_checkpoint, step_of


class Watching(Folder):
    def test_a_recording_is_what_inspect_says(self):
        flags = ["--layers", 2, "--heads", 2, "--width", 16, "--context", 6, "--batch", 4, "--dropout", 0.5, "--steps", 4]
        self.assertEqual(self.train(*flags, "--watch", 3).code, 0)
        watch, log = self.recordings(), [json.loads(x) for x in (self.run_folder / "log.jsonl").read_text().splitlines()]
        self.assertEqual({k: v for k, v in watch.items() if k != "recordings"},
                         {"format": "glassgrad watch 1", "tokens": ["cats", "␣climb", "␣trees", "␣during"], "layers": 2, "heads": 2})
        self.assertEqual([r["step"] for r in watch["recordings"]], [0, 3, 4])
        self.assertNotIn("loss", watch["recordings"][0])
        for recording in watch["recordings"][1:]:
            measured = log[recording["step"] - 1]
            self.assertEqual([recording.get(k) for k in ("loss", "validation_loss")],
                             [measured.get(k) for k in ("loss", "validation_loss")])

        last, prompt = watch["recordings"][-1], "cats climb trees during"
        run = json.loads(glassgrad("inspect", self.run_folder / "last.safetensors", "--text", prompt, "--format", "json").out)
        tensors = {f"{step['id']}:{t['name']}": t["data"] for step in run["steps"] for t in step["tensors"]}
        for layer in range(2):
            for ours, theirs in zip(flat(last["attention"][layer]), flat(tensors[f"layer-{layer}-weights:attn_weights"]), strict=True):
                self.assertAlmostEqual(ours, theirs, delta=0.5001e-4)
        probabilities = sorted(tensors["next-token:probabilities"], reverse=True)[:10]
        for ours, theirs in zip(last["next"], probabilities, strict=True):
            self.assertAlmostEqual(ours["probability"], theirs, delta=0.5001e-4)
        self.assertEqual(last["next"][0]["token"], last["sample"][0])
        self.assertEqual(len(last["sample"]), 16)

        # Watching does not change the training.
        self.assertEqual(self.train(*flags, "--force").code, 0)
        self.assertEqual([json.loads(x)["loss"] for x in (self.run_folder / "log.jsonl").read_text().splitlines()],
                         [line["loss"] for line in log])
        self.assertNotIn("watch.json", self.files())

    def test_a_file_that_would_grow_too_large(self):
        for flags, words in ((["--steps", 800000, "--watch", 2], ["1000 recordings", "--watch 801 or more"]),
                             (["--layers", 300, "--heads", 16, "--width", 16, "--context", 32, "--tokenizer", "char", "--watch", 1],
                              ["too large to be watched"])):
            self.assert_fails(self.train(*flags), *words, code=2)
        self.assertFalse(self.run_folder.exists())

    def test_a_file_of_recordings_that_is_another_one(self):
        self.trained("--watch", 2)
        watch, resume = self.run_folder / "watch.json", ["--resume", "--steps", 6]
        good = watch.read_text()
        for bad in ("", "[]", good[:-2], good.replace("climb", "climbs"), good.replace('"step":2', '"stop":2'),
                    good.replace('{"step":2', '3,{"step":2')):
            watch.write_text(bad)
            self.assert_fails(self.train(*resume), watch, "not what this training has recorded")
        watch.unlink()
        self.assertEqual(self.train(*resume).code, 0)
        self.assertEqual([r["step"] for r in self.recordings()["recordings"]], [6])


class Tokens(Folder):
    gpt2 = ["--vocab", GOLDEN / "text" / "vocab.json", "--merges", GOLDEN / "text" / "merges.txt"]

    def write_bin(self, name, tokens):
        return self.write(name, struct.pack(f"<{len(tokens)}H", *tokens))

    def losses(self, *flags):
        self.trained(*flags, "--eval-every", 2, "--force")
        log = [json.loads(line) for line in (self.run_folder / "log.jsonl").read_text().splitlines()]
        return [(line["loss"], line.get("validation_loss")) for line in log]

    def test_files_of_nanogpt_are_the_text_they_come_from(self):
        text = b"the dog ran to the red house\n" * 20
        expected = self.losses("--text", self.write("text", text), "--tokenizer", "byte")
        one = self.write_bin("one.bin", text)
        self.assertEqual(self.losses("--tokens", one, "--tokenizer", "byte"), expected)
        (self.folder / "two").mkdir()
        split = int(len(text) * 0.9)
        self.write_bin("two/train.bin", text[:split])
        self.write_bin("two/val.bin", text[split:])
        self.assertEqual(self.losses("--tokens", self.folder / "two", "--tokenizer", "byte"), expected)
        self.assert_fails(self.train("--resume", "--steps", 5), "give --tokens PATH", self.folder / "two", code=2)
        self.assertEqual(self.train("--resume", "--steps", 5, "--tokens", self.folder / "two").code, 0)
        self.assertEqual(self.train("--resume", "--steps", 6, "--tokens", one).code, 0)

    def test_bpe_joins_what_the_lesson_joins(self):
        text = "at the seat a cat ate a hat that the cat hates"
        self.trained("--text", self.write("text", "\n".join([text] * 8)), "--tokenizer", "bpe", "--vocab", 256 + 9)
        tokenizer = json.loads(read_checkpoint(self.run_folder / "last.safetensors")[0]["__metadata__"]["tokenizer"])
        merges = " ".join(pair.replace(" ", "+").replace("\u0120", "_") for pair in tokenizer["merges"])
        self.assertIn(merges + "\n", (GOLDEN / "lessons/text.tokens.txt").read_text())

    def test_gpt2s_own_tokens(self):
        self.trained("--text", self.write("text", "the dog ran to the red house\n" * 20), *self.gpt2)
        self.assertEqual(self.generate("--prompt", "the dog", "--max-tokens", 3).code, 0)
        ids = list(range(330)) * 2
        run = self.trained("--tokens", self.write_bin("ids.bin", ids), *self.gpt2, "--force")
        self.assertIn("594 tokens for training, 66 for validation; bpe vocabulary of 330", run.out)
        self.assert_fails(self.train("--tokens", self.write_bin("far.bin", ids + [330]), *self.gpt2, "--force"),
                          "far.bin: token 330 at position 660 (byte 1320) is outside the vocabulary of 330")
        self.assert_fails(self.train("--tokens", self.write("odd.bin", b"x" * 99), *self.gpt2, "--force"), "odd.bin: has 99 bytes")
        llm_c = self.write("llm-c.bin", struct.pack("<256i", 20240520, 1, len(ids), *[0] * 253) + struct.pack(f"<{len(ids)}H", *ids))
        self.assert_fails(self.train("--tokens", llm_c, *self.gpt2, "--force"), "llm-c.bin: token 55432 at position 0 (byte 0)")
        self.assert_fails(self.train("--tokens", self.folder, *self.gpt2, "--force"), self.folder / "train.bin")
        (self.folder / "characters").mkdir()
        self.write("characters/meta.pkl", b"")
        for tokens in (self.folder / "characters", self.write_bin("characters/train.bin", ids)):
            self.assert_fails(self.train("--tokens", tokens, "--tokenizer", "byte", "--force"), "stand for characters", code=2)
        self.assert_fails(self.train("--tokens", "no.bin", *self.gpt2[:3], GOLDEN / "text" / "vocab.json", "--force"), "line 1")

    def test_a_validation_on_the_training_text_is_told(self):
        data = self.folder / "data"
        data.mkdir()
        for validation, told in ([1, 2, 3] * 40, True), ([3, 2, 1] * 40, False):
            for name, ids in ("train.bin", [1, 2, 3] * 40), ("val.bin", validation):
                self.write_bin(data / name, ids)
            run = self.train("--tokens", data, "--tokenizer", "byte", *SMALL, "--steps", 1, "--force")
            self.assertEqual(run.code, 0)
            self.assertEqual(run.err.count("val.bin holds the tokens of train.bin"), told, run.err)

    def test_weights_alone_begin_another_training(self):
        self.trained()
        theirs = self.folder / "gpt2"
        for arguments in [self.run_folder, theirs], [theirs, self.run_folder / "last.safetensors", "--force"]:
            self.assertEqual(glassgrad("convert", *arguments).code, 0)
        self.assert_fails(self.train("--resume", "--steps", 2), "is not the text that the run in")
        self.assert_fails(self.train("--weights-only", "--steps", 2, out=self.folder / "new"), "--resume", code=2)
        text = self.write("other", "dogs guard caves during floods\n" * 40)
        run = self.train("--resume", "--weights-only", "--steps", 2, "--text", text)
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertEqual(step_of(self.run_folder / "last.safetensors"), 2)

    def test_the_first_nan_of_a_training_is_named(self):
        run = self.train(*SMALL, "--steps", 9, "--lr", "1e30", "--detect-anomaly")
        self.assert_fails(run, "step 2: nan from ", " in GPT.", "begin anew with a smaller --lr")
        self.trained("--detect-anomaly", "--force")
        watched = (self.run_folder / "last.safetensors").read_bytes()
        self.trained("--force")
        self.assertEqual(watched, (self.run_folder / "last.safetensors").read_bytes())


if __name__ == "__main__":
    unittest.main()
