#!/usr/bin/env python3
"""A disk that is full indeed: a small tmpfs in a mount namespace of its own; skipped where none can be made."""
import json
import os
import shutil
import subprocess
import sys
import unittest

from program import PROGRAM, glassgrad
from training import Folder, step_of

TINY = ["--layers", 1, "--heads", 2, "--width", 16, "--context", 8, "--batch", 4, "--tokenizer", "byte"]
MOUNT = 'mount -t tmpfs -o size="$1" none "$2" && cp -a "$3/." "$2/"'
injected = 0


def namespace():
    """How to begin a command that may mount; none if nothing may."""
    for command in ["unshare", "-Urm"], ["unshare", "-m"]:
        probe = subprocess.run([*command, "sh", "-c", "mount -t tmpfs -o size=64k none /tmp"], capture_output=True)
        if probe.returncode == 0:
            return command
    return None


SPACE = None if os.environ.get("SANITIZERS") else namespace()


@unittest.skipUnless(SPACE, "no namespace in which a file system may be mounted")
class FullDisk(Folder):
    def on_a_disk_of(self, kilobytes, folder, command):
        """The command's end and what it left, on a disk of that size that holds a copy of the folder."""
        global injected
        disk, left = self.folder / "disk", self.folder / "left"
        disk.mkdir(exist_ok=True)
        shutil.rmtree(left, ignore_errors=True)
        script = MOUNT + ' || exit 99; shift 3; "$@"; code=$?; cp -a disk left; exit $code'
        run = subprocess.run([*SPACE, "sh", "-c", script, "sh", f"{kilobytes}k", disk, folder, PROGRAM, *map(str, command)],
                             cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if run.returncode == 99:
            return None, left  # not even the existing files fit
        injected += run.returncode != 0 or "No space left" in run.stderr
        return run, left

    def test_a_training_on_disks_of_every_size(self):
        good = self.folder / "good"
        self.assertEqual(self.train(*TINY, "--steps", 4, out=good).code, 0)
        codes = []
        for kilobytes in range(4, 4000, 4):
            run, left = self.on_a_disk_of(kilobytes, good, ["train", "--out", "disk", "--resume", "--steps", 5])
            if run is None:
                continue
            with self.subTest(kilobytes=kilobytes, err=run.stderr):
                step = step_of(left / "last.safetensors")
                self.assertIn(step, (4, 5))
                for name in "last", "best":
                    self.assertEqual(glassgrad("verify", left / f"{name}.safetensors").code, 0)
                self.assertTrue((left / "loss.svg").read_text().endswith("</svg>\n"))
                self.assertEqual([p.name for p in left.glob("*.tmp")], [])
                self.assertEqual(run.returncode, 0 if step == 5 else 1)
                self.assertTrue("No space left on device" in run.stderr or run.returncode == 0)
            codes.append((run.returncode, run.stderr == ""))
            if codes[-3:] == [(0, True)] * 3:
                break
        self.assertEqual({code for code, _ in codes}, {0, 1})
        self.assertEqual(codes[-1], (0, True))

    def test_a_conversion(self):
        run_folder, empty = self.folder / "trained", self.folder / "empty"
        empty.mkdir()
        self.assertEqual(self.train(*TINY, "--steps", 1, out=run_folder).code, 0)
        for kilobytes in 4, 8, 16:
            run, left = self.on_a_disk_of(kilobytes, empty, ["convert", run_folder, "disk/gpt2"])
            self.assertEqual(run.returncode, 1)
            self.assertIn("No space left on device", run.stderr)
            self.assertEqual(list(left.rglob("*")), [])


if __name__ == "__main__":
    program = unittest.main(exit=False)
    print(f"faults: {injected} runs met a full disk")
    if not SPACE:
        sys.exit(77)
    sys.exit(not program.result.wasSuccessful())
