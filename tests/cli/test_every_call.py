#!/usr/bin/env python3
"""Every system call of a save fails, or is the last one, in turn; for every file that the program writes. Needs strace."""
import json
import os
import shutil
import signal
import sys
import unittest

import faults
from program import GOLDEN, glassgrad
from training import Folder, step_of

TINY = ["--layers", 1, "--heads", 2, "--width", 8, "--context", 4, "--batch", 2, "--tokenizer", "byte"]
FAULTS = ["error=ENOSPC", "error=EIO", "signal=KILL"]
injected = {}


@unittest.skipUnless(faults.can_trace(), "there is no strace that may trace")
class EveryCall(Folder):
    def setUp(self):
        super().setUp()
        self.work, self.good = self.folder / "work", self.folder / "good"
        (self.folder / "state").mkdir()

    def each_fault(self, what, arguments, environment=None, typed=None, heard=True):
        """Runs with one fault each, on a fresh copy of the good folder."""
        options = {"cwd": self.folder, "env": os.environ | {"TERM": "dumb"} | (environment or {}), "typed": typed}

        def restore():
            shutil.rmtree(self.work, ignore_errors=True)
            shutil.copytree(self.good, self.work)
        restore()
        calls = faults.calls_of(arguments, self.work, self.folder / "calls", **options)
        self.assertIn("fsync", [call for call, _, _ in calls])
        for fault in FAULTS:
            for call, number, writes in calls:
                restore()
                run = faults.struck(arguments, call, number, fault, **options)
                where = f"{what}: {call} number {number}: {fault}: {run.stderr}"
                injected[what] = injected.get(what, 0) + 1
                if fault == "signal=KILL":
                    self.assertEqual(run.returncode, -signal.SIGKILL, where)
                    yield where
                    continue
                self.assertIn(run.returncode, (0, 1), where)
                self.assertEqual(run.stderr.count("\n"), 1 if run.returncode else run.stderr.count("training goes on"), where)
                if writes and not call.startswith("unlink"):
                    self.assertTrue(run.stderr or not heard, where)
                    self.assertEqual(list(self.work.rglob("*.tmp")), [], where)
                yield where

    def assert_loads(self, path, where):
        run = glassgrad("verify", path)
        self.assertEqual((run.code, run.err), (0, ""), where)

    def test_a_step_of_training(self):
        self.assertEqual(self.train(*TINY, "--steps", 2, "--watch", 2, out=self.good).code, 0)
        steps = set()
        for where in self.each_fault("train", ["train", "--out", self.work, "--resume", "--steps", 3]):
            steps.add(step_of(self.work / "last.safetensors"))
            for name in "last", "best":
                self.assert_loads(self.work / f"{name}.safetensors", where)
            json.loads((self.work / "watch.json").read_text())
            self.assertTrue((self.work / "loss.svg").read_text().endswith("</svg>\n"))
            for line in (self.work / "log.jsonl").read_text().split("\n")[:2]:
                json.loads(line)
        self.assertEqual(steps, {2, 3})

    def test_the_first_training(self):
        self.good.mkdir()
        for where in self.each_fault("a new training", ["train", "--out", self.work, *TINY, "--steps", 1]):
            for file in self.work.rglob("*.safetensors"):
                self.assert_loads(file, where)

    def test_convert(self):
        run_folder = self.folder / "trained"
        self.assertEqual(self.train(*TINY, "--steps", 1, out=run_folder).code, 0)
        self.assertEqual(glassgrad("convert", run_folder, self.good).code, 0)
        for where in self.each_fault("to huggingface", ["convert", run_folder, self.work, "--force", "--bf16"]):
            self.assert_loads(self.work / "model.safetensors", where)
            json.loads((self.work / "config.json").read_text())
        self.assertEqual(glassgrad("convert", self.good, self.good / "ours.safetensors").code, 0)
        for where in self.each_fault(
                "to glassgrad", ["convert", self.good, self.work / "ours.safetensors", "--force"]):
            self.assert_loads(self.work / "ours.safetensors", where)
            self.assertEqual(self.generate("--prompt", "a", "--max-tokens", 1, out=self.work / "ours.safetensors").code, 0)

    def test_a_tensor_of_a_model(self):
        run_folder = self.folder / "trained"
        self.assertEqual(self.train(*TINY, "--steps", 1, out=run_folder).code, 0)
        self.good.mkdir()
        self.good.joinpath("x.npy").write_bytes(b"old")
        for where in self.each_fault("npy", ["inspect", run_folder, "--text", "ab", "--npy", f"embeddings:x={self.work / 'x.npy'}"]):
            self.assertIn((self.work / "x.npy").read_bytes()[:6], (b"old", b"\x93NUMPY"), where)

    def test_where_a_lesson_was_left(self):
        (self.good / "glassgrad").mkdir(parents=True)
        (self.good / "glassgrad" / "progress.json").write_text('{"last":"cat","lessons":{"cat":"1"}}')
        environment = {"XDG_STATE_HOME": str(self.work)}
        for where in self.each_fault("progress", ["learn", "autograd.order"], environment, "n\nq\n", heard=False):  # shown on screen
            state = json.loads((self.work / "glassgrad" / "progress.json").read_text())
            self.assertIn(state["last"], ("cat", "autograd.order"))


if __name__ == "__main__":
    program = unittest.main(exit=False)
    for what, count in injected.items():
        print(f"faults: {what}: {count} calls failed or were the last one, in turn")
    print(f"faults: {sum(injected.values())} injected")
    if not injected and program.result.skipped:
        sys.exit(77)
    sys.exit(not program.result.wasSuccessful())
