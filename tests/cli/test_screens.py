#!/usr/bin/env python3
"""What every screen survives: signals, a terminal that is closed, tiny windows, garbage instead of keys."""
import json
import os
import signal
import tempfile
import time
import unittest
from pathlib import Path

from program import PATIENCE
from terminal import Terminal

# Screens, and what they show when they wait for a key.
SCREENS = {"learn": (["learn", "journey", "--from", "2"], " 2/"), "start": (["start", "--steps", "20"], "1/12  guess"),
           "build": (["build", "attention"], "attention  1/12"), "build, writing": (["build", "attention"], "attention  1/12")}
DUE = {"lessons": {"journey": {"questions": {"masked-softmax:attn_weights.argmax(-1)[1]": ["2026-11-01 wrong"]}}}}


class EveryScreen(unittest.TestCase):
    def opened(self, name):
        arguments, words = SCREENS[name]
        t = Terminal(*arguments)
        t.until(words, "q quit")
        if "writing" in name:
            t.send("\rscore = ")
            t.until("score =", "Ctrl-N new line")
        return t

    ENDINGS = [("\x03", 130), ("\x1c", 128 + signal.SIGQUIT)]
    ENDINGS += [(s, 128 + s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV, signal.SIGABRT,
                                       signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGUSR1, signal.SIGALRM,
                                       signal.SIGRTMAX)]

    def test_the_terminal_is_as_before(self):
        for name in SCREENS:
            for how, code in self.ENDINGS + ([] if "writing" in name else [("q", 0), ("\x04", 0)]):
                with self.subTest((name, how)), self.opened(name) as t:
                    t.send(how) if isinstance(how, str) else t.signal(how)
                    self.assertEqual(t.ended(), code)
                    self.assertFalse(t.screen.alternate)
                    self.assertTrue(t.screen.cursor)
                    self.assertEqual(t.settings("after"), t.settings("before"))

    def test_garbage_does_nothing(self):
        for name in SCREENS:
            with self.subTest(name), self.opened(name) as t:
                t.send(bytes(b for b in range(128, 256)) * 20 + b"\x1b[" + b"9" * 3000 + b"\x00\xff\x1b]0;x\x07\x1b\x1b\x1bz")
                t.send("\x1b")
                t.until("q quit")
                t.send("?q")
                t.until(SCREENS[name][1], "q quit")
                t.send("q")
                self.assertEqual(t.ended(), 0)

    def test_tiny_windows(self):
        for name in SCREENS:
            with self.subTest(name), self.opened(name) as t:
                for lines, columns in (10, 30), (2, 5), (1, 1), (1, 300), (300, 1):
                    t.resize(lines, columns)
                    while not t.screen.frames:
                        self.assertTrue(t.read(), "the program is gone")
                t.resize(24, 80)
                t.until(SCREENS[name][1], "score =" if "writing" in name else "q quit")

    def test_a_paste_of_a_megabyte(self):
        """Takes time in proportion to its length, and a signal is answered at once."""
        line = "abc 漢é+ " * 100_000
        for name, keys in ("learn", "/"), ("learn", "g"), ("learn", "E\r"), ("learn", "p"), ("build, writing", ""), ("build", "g"):
            with self.subTest((name, keys)), self.opened(name) as t:
                t.send(keys)
                began = time.monotonic()
                t.paste(line)
                self.assertLess(time.monotonic() - began, PATIENCE / 3)
                began = time.monotonic()
                t.signal(signal.SIGTERM)
                self.assertEqual(t.ended(), 128 + signal.SIGTERM)
                self.assertLess(time.monotonic() - began, PATIENCE / 40)

    def test_backspace_on_an_empty_line_leaves_nothing(self):
        for name, keys, words in ("learn", "/", "Enter go"), ("learn", "E\r\x15", "Enter run"), ("build", "g", "Enter go"):
            with self.subTest((name, keys)), self.opened(name) as t:
                t.send(keys + "\x7f\x7f" + "query")
                t.until("query", words)
                t.signal(signal.SIGTERM)
                self.assertEqual(t.ended(), 128 + signal.SIGTERM)

    def test_a_terminal_that_is_closed(self):
        for name in SCREENS:
            with self.subTest(name), self.opened(name) as t:
                group = os.tcgetpgrp(t.main)
                os.close(t.main)
                t.main = None
                t.child.wait(PATIENCE)
                t.wait_for(group)
                self.assertTrue(t.is_gone(group))

    def test_a_review(self):
        for how, code in self.ENDINGS + [("\x04", 0)]:
            with self.subTest(how), tempfile.TemporaryDirectory() as state:
                Path(state, "glassgrad").mkdir()
                Path(state, "glassgrad", "progress.json").write_text(json.dumps(DUE))
                with Terminal("review", state=state, GLASSGRAD_TODAY="2026-11-02") as t:
                    t.until("(? gives a hint) =")
                    t.send(b"\xff\xfe\x01\x1b[200~\n")
                    t.until("is no choice")
                    t.send(how) if isinstance(how, str) else t.signal(how)
                    self.assertEqual(t.ended(), code)
                    self.assertEqual(t.settings("after"), t.settings("before"))


if __name__ == "__main__":
    unittest.main()
