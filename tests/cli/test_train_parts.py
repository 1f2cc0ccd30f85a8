#!/usr/bin/env python3
"""`train` with parts of newer models: what the switches make, and what the other commands do with it."""
import json
import signal
import unittest

from program import glassgrad
from training import SMALL, Folder, read_checkpoint, step_of, without_header_crc

KINDS = {"norm": ["--norm", "rms"], "rope": ["--positions", "rope"], "sinusoid": ["--positions", "sinusoid"],
         "kv_heads": ["--kv-heads", 1], "mlp": ["--mlp", "swiglu"], "window": ["--window", 3],
         "all": ["--norm", "rms", "--positions", "rope", "--kv-heads", 1, "--mlp", "swiglu", "--window", 3]}
TEXT = "cats climb trees during"


def model_of(path):
    return json.loads(read_checkpoint(path)[0]["__metadata__"]["model"])


class Parts(Folder):
    def test_a_checkpoint_names_the_parts_that_are_not_gpt2s(self):
        self.trained()
        plain = model_of(self.run_folder / "last.safetensors")
        self.assertFalse({"norm", "positions", "mlp", "kv_heads", "window"} & set(plain))
        self.trained("--norm", "layer", "--positions", "learned", "--kv-heads", 2, "--mlp", "gelu", "--window", 8,
                     out="same")
        names = "best.safetensors", "last.safetensors"
        for name in names:
            self.assertEqual((self.folder / "same" / name).read_bytes(), (self.run_folder / name).read_bytes())
        run = self.trained(*KINDS["all"], out="all")
        self.assertIn("context 8, norm rms, positions rope, mlp swiglu, kv_heads 1, window 3: ", run.out)
        added = {"norm": "rms", "positions": "rope", "mlp": "swiglu", "kv_heads": 1, "window": 3}
        self.assertEqual(model_of(self.folder / "all" / "last.safetensors"), plain | added)

    def test_every_kind_writes_and_opens(self):
        for name, flags in KINDS.items():
            with self.subTest(name):
                self.trained(*flags, out=name)
                say = ["--prompt", "cats climb", "--max-tokens", 200, "--go-on"]
                run = self.generate(*say, out=name)
                self.assertEqual((run.code, run.err), (0, ""))
                self.assertEqual(run.out, self.generate("--no-cache", *say, out=name).out)
                run = glassgrad("inspect", name, "--text", TEXT, "--format", "json", cwd=self.folder)
                self.assertEqual((run.code, run.err), (0, ""))
                shown = {f"{s['id']}:{t['name']}": t["shape"] for s in json.loads(run.out)["steps"] for t in s["tensors"]}
                heads = 1 if "--kv-heads" in flags else 2
                self.assertEqual(shown["layer-0-projections:keys"], [1, heads, 4, 8])
                self.assertEqual(shown["layer-0-weights:attn_weights"], [1, 2, 4, 4])
                self.assertEqual("layer-0-projections:rotated_keys" in shown, "rope" in flags)
                self.assertEqual("layer-0-feed-forward:gated" in shown, "swiglu" in flags)
                self.assertEqual("embeddings:pos_embeds" in shown, "rope" not in flags)

    def test_a_resumed_run_ends_with_the_same_bytes(self):
        flags = [*SMALL, *KINDS["all"], "--steps", 400, "--eval-every", 100, "--checkpoint-every", 100]
        self.assertEqual(self.train(*flags, out="whole").code, 0)
        process = self.start(*flags, steps=3)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertLess(step_of(self.run_folder / "last.safetensors"), 400)
        run = self.train("--resume")
        self.assertEqual((run.code, run.err), (0, ""))
        for name in ("last.safetensors", "best.safetensors"):
            self.assertEqual((self.folder / "whole" / name).read_bytes(), (self.run_folder / name).read_bytes())

    def test_a_number_of_another_kind_opens(self):
        self.trained(*KINDS["all"])
        for cell in ("layer-0-projections:rotated_keys[0,0,2,1]", "layer-0-feed-forward:gated[0,1,3]",
                     "final-norm:normed[0,1,2]", "layer-0-weights:attn_weights[0,1,3,2]"):
            run = glassgrad("why", self.run_folder, cell, "--text", TEXT, cwd=self.folder)
            self.assertEqual((run.code, run.err), (0, ""), cell)

    def test_what_if_a_number_were_a_different_one(self):
        self.trained(*KINDS["all"])
        before = glassgrad("inspect", self.run_folder, "--text", TEXT, "--format", "json", cwd=self.folder).out
        for change in ("layer-0-projections:rotated_keys[0,0,1,1]=3", "layer-0-feed-forward:gated[0,3,1]=9",
                       "trf_blocks.0.ff.gate.weight[2,3]=2", "layer-0-masked-scores:mask_bool[0,2]=0"):
            run = glassgrad("inspect", self.run_folder, "--text", TEXT, "--set", change, cwd=self.folder)
            self.assertEqual((run.code, run.err), (0, ""), change)
            self.assertRegex(run.out, r"\nSet: \S+ \S+ -> \S+\.\nThe first step that changes is ")
            changed = glassgrad("inspect", self.run_folder, "--text", TEXT, "--set", change, "--format", "json", cwd=self.folder)
            logits = [next(t["data"] for s in json.loads(out)["steps"] for t in s["tensors"] if t["name"] == "logits")
                      for out in (before, changed.out)]
            self.assertNotEqual(*logits)
        for flags, words in ((["--set", "logits:nothing[0]=1"], "nothing"), (["--set", "x"], "x"),
                             (["--set", "logits:logits[0,0,0]=1", "--zero", "all"], "exclude each other")):
            self.assert_fails(glassgrad("inspect", self.run_folder, "--text", TEXT, *flags), words, code=2)

    def test_the_lesson_says_which_models_it_takes(self):
        self.trained(*KINDS["all"])
        run = glassgrad("learn", "gpt", "--model", self.run_folder, cwd=self.folder)
        self.assert_fails(run, "a model of GPT-2's parts, and this one has norm rms, positions rope", "inspect", code=2)

    def test_wrong_parts(self):
        for flags, words in ((["--norm", "batch"], "--norm takes layer or rms, not 'batch'"),
                             (["--positions", ""], "--positions takes learned or rope or sinusoid, not ''"),
                             (["--mlp", "relu"], "--mlp takes gelu or swiglu, not 'relu'"),
                             (["--kv-heads", 3], "kv_heads must divide heads 2"),
                             (["--kv-heads", 0], "--kv-heads takes an integer from 1"),
                             (["--window", 9], "window must be at most the context of 8, but is 9"),
                             (["--heads", 16, "--positions", "rope"], "rope turns pairs of a head's numbers")):
            run = self.train("--layers", 1, "--width", 16, "--context", 8, *([] if "--heads" in flags else ["--heads", 2]),
                             *flags)
            self.assert_fails(run, words, code=2)
        self.assertFalse(self.run_folder.exists())
        self.trained(*KINDS["all"])
        self.assert_fails(self.train("--resume", "--norm", "rms"), "--norm stays as it was with --resume", code=2)

    def test_files_that_describe_no_part(self):
        self.trained(*KINDS["norm"])
        data = (self.run_folder / "last.safetensors").read_bytes()
        for wrong in (rb'\"norm\":\"big\"', rb'\"norm\":1      '):
            changed = data.replace(rb'\"norm\":\"rms\"', wrong)
            path = self.write("wrong.safetensors", without_header_crc(changed))
            self.assert_fails(glassgrad("inspect", path, "--text", TEXT), "norm cannot be")


if __name__ == "__main__":
    unittest.main()
