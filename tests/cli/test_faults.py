#!/usr/bin/env python3
"""A training whose system calls fail or never return, one after the other: files stay whole. Needs strace."""
import json
import shutil
import signal
import unittest

import faults
from training import SMALL, Folder, step_of


@unittest.skipUnless(faults.can_trace(), "there is no strace that may trace")
class Faults(Folder):
    def setUp(self):
        super().setUp()
        self.trained("--watch", 4)
        self.good = self.folder / "good"
        self.run_folder.rename(self.good)

    def resumed(self, call, number, fault):
        """Step 5 of a copy of the good run, whose files are all written anew; the fault strikes once, if at all."""
        shutil.rmtree(self.run_folder, ignore_errors=True)
        shutil.copytree(self.good, self.run_folder)
        return faults.struck(["train", "--out", self.run_folder, "--resume", "--steps", "5"], call, number, fault)

    def assert_whole(self):
        step = step_of(self.run_folder / "last.safetensors")
        self.assertIn(step, (4, 5))
        for name in ("last", "best"):  # the program checks their checksums first
            self.assert_fails(self.generate("--prompt", "", out=self.run_folder / f"{name}.safetensors"), "the prompt is empty", code=2)
        json.loads((self.run_folder / "watch.json").read_text())
        self.assertTrue((self.run_folder / "loss.svg").read_text().endswith("</svg>\n"))
        return step

    def each_fault(self, fault):
        """The run that meets it at one call after the other of those that save files; of many writes every 37th."""
        for call, stride in (("fsync", 1), ("rename", 1), ("write", 37)):
            for number in range(1, 1000, stride):
                run = self.resumed(call, number, fault)
                if run.returncode == 0 and not run.stderr:
                    break  # no more calls of this kind
                yield run

    def test_a_kill_at_any_call_leaves_the_old_files_or_the_new_ones(self):
        steps = []
        for run in self.each_fault("signal=KILL"):
            self.assertEqual(run.returncode, -signal.SIGKILL)
            steps.append(self.assert_whole())
        self.assertEqual(set(steps), {4, 5})
        self.assertGreater(len(steps), 15)
        print(f"faults: {len(steps)} trainings killed at a call of a save")
        self.assertEqual(self.train("--resume", "--steps", 6).code, 0)
        self.assertEqual([n for n in self.files() if n.endswith(".tmp")], [])

    def test_a_full_disk_at_any_call_is_told(self):
        codes = []
        for run in self.each_fault("error=ENOSPC"):
            self.assertEqual((run.stderr.count("\n"), run.stderr[:11]), (1, "glassgrad: "), run.stderr)
            self.assertIn("No space left on device", run.stderr)
            step = self.assert_whole()
            self.assertIn((run.returncode, "training goes on" in run.stderr), ((0, True), (1, False)))
            self.assertTrue(run.returncode == 1 or step == 5)
            self.assertEqual([n for n in self.files() if n.endswith(".tmp")], [])
            codes.append(run.returncode)
        self.assertEqual(set(codes), {0, 1})
        self.assertGreater(len(codes), 15)
        print(f"faults: {len(codes)} trainings with a full disk at a call of a save")


if __name__ == "__main__":
    unittest.main()
