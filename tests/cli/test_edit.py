#!/usr/bin/env python3
"""A line of a lesson's code that the learner edits: on the full screen, and line by line."""
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import PROGRAM, glassgrad
from terminal import Terminal

LINES = Path(__file__).resolve().parents[2].joinpath("apps/lessons/journey.md").read_text().split("\n")
SOFTMAX = "attn_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)"
AT = LINES.index(SOFTMAX) + 1
IN_CLASS = next(at for at, line in enumerate(LINES, 1) if line.startswith("        attn_scores = queries @ keys.T"))


def by_lines(*commands, lesson="journey"):
    done = subprocess.run([PROGRAM, "learn", lesson, "--step", "--no-state"], input="\n".join(commands) + "\n",
                          capture_output=True, text=True)
    return done.returncode, done.stdout


class OwnProgram(unittest.TestCase):
    def test_ctrl_c_ends_an_endless_program_and_shows_what_it_did(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "endless.py")
            path.write_text("import torch\nx = torch.ones(2)\nwhile True:\n    x = x * 1\n")
            for arguments, words, ended in (["--list"], ["line-3", "while True:"], 130), ([], ["KeyboardInterrupt"], 0):
                with Terminal("learn", "endless.py", *arguments, folder=folder) as t:
                    t.until("endless.py:4 is still running; Ctrl-C ends it and shows its steps")
                    t.send("\x03")
                    if not arguments:
                        t.until("line-1", "q quit")
                        t.send("g")
                        t.until("Go to step")
                        t.send("line-3\r")
                    t.until(*words)
                    if not arguments:
                        t.send("q")
                    t.until(f"[ended {ended}]")


class OnTheScreen(unittest.TestCase):
    def test_a_line_is_edited_run_and_taken_back(self):
        with Terminal("learn", "journey", "--from", "masked-softmax") as t:
            t.until("q quit")
            t.send("E")
            t.until(f">   {SOFTMAX}", f"line {AT} of the lesson's program", "Enter edit it")
            t.send("\r")
            t.until(f"{AT}: attn_weights", "Enter run the lesson with it")
            t.send("\x15foo\r")  # Ctrl-U clears the line
            t.until(f"journey.md:{AT}: NameError: name 'foo' is not defined", "nothing has changed")
            t.send("\r")
            t.until(f"{AT}: foo")  # the typed text is still there
            t.send("\x15attn_weights = torch.softmax(masked * 2, dim=-2)\x1b[D\x7f1\r")
            t.until("steps change", "~ attn_weights = torch.softmax(masked * 2, dim=-1)", f"was: {SOFTMAX}")
            t.send("r")
            t.until("As it was.", "    " + SOFTMAX)
            t.send("c")
            t.until("The lines of this step are a part of no class")
            t.send("gv1-weights\r")
            t.until("inside sa_v1(inputs)")
            t.send("c")
            t.until("Whole in step", "class SelfAttention_v1(nn.Module):",
                    f"> {IN_CLASS:>4}          attn_scores = queries @ keys.T")
            t.send("q")
            t.until("inside sa_v1(inputs)")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_what_does_not_end_is_stopped(self):
        for stop in "\x1b", "\x03":
            with Terminal("learn", "journey", "--from", "masked-softmax") as t:
                t.until("q quit")
                t.send("E\r")
                t.until(f"{AT}: attn_weights")
                t.send("\x15while True: pass\r")
                t.until("Computing ... Esc stops it.")
                t.send(stop)
                t.until("Stopped: nothing has changed.")
                t.send("\x03")  # with nothing running, Ctrl-C ends the program
                self.assertEqual(t.ended(), 128 + signal.SIGINT)


class ByLines(unittest.TestCase):
    def test_edit_lists_changes_and_resets(self):
        code, out = by_lines("goto masked-softmax", "edit", f"edit {AT} attn_weights = torch.softmax(masked, dim=-1)",
                             "set attn_weights[0,0]=0.5", "reset", "reset", "reset")
        self.assertEqual(code, 0)
        self.assertIn(f"{AT:>4}  {SOFTMAX}\n", out)
        self.assertIn(f"Set: line {AT}: {SOFTMAX} -> attn_weights = torch.softmax(masked, dim=-1).\n", out)
        self.assertIn(f"  ~ attn_weights = torch.softmax(masked, dim=-1)\n      was: {SOFTMAX}\n", out)
        self.assertIn("Nothing is set.", out)
        steps = [step.partition("docs/journey.md")[0] for step in re.split(r"^--- ", out, flags=re.M)]
        self.assertEqual(steps[-1], steps[2])  # the step is the original one again

    def test_the_same_as_a_file_with_that_line(self):
        program = "import torch\nx = torch.tensor([[1., 2.], [3., 4.]])\ny = x.sum(dim=1)\nprint('y', y)\n"
        with tempfile.TemporaryDirectory() as folder:
            one, other = Path(folder, "one.py"), Path(folder, "other.py")
            one.write_text(program)
            other.write_text(program.replace("dim=1", "dim=0"))
            _, out = by_lines("goto line-3", "edit 3 y = x.sum(dim=0)", "goto line-4", lesson=one)
            self.assertIn("tensor([4., 6.])", glassgrad("learn", other, "--from", "line-4", "--to", "line-4").out)
            self.assertIn("y  (2,)\ntensor([4., 6.])\nchanged: all 2 cells", out.split("--- one.py 4/4")[1])

    def test_ctrl_c_ends_the_run_alone(self):
        child = subprocess.Popen([PROGRAM, "learn", "journey", "--step", "--no-state", "--from", "masked-softmax"], text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdin.write(f"edit {AT} while True: pass\n")
        child.stdin.flush()
        while "docs/journey.md#masked-softmax" not in child.stdout.readline():
            pass
        time.sleep(0.5)  # let the computation start
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate("edit\n")
        self.assertIn("Stopped: nothing has changed.\n", out)
        self.assertIn(f"{AT:>4}  {SOFTMAX}\n", out)
        self.assertEqual(child.returncode, 0)


if __name__ == "__main__":
    unittest.main()
