#!/usr/bin/env python3
"""What every screen survives: signals, a terminal that is closed, tiny windows, garbage instead of keys."""
import json
import os
import re
import signal
import tempfile
import time
import unittest
from pathlib import Path

from program import PATIENCE, glassgrad, one_in
from terminal import Terminal
from training import SMALL

# Screens, and the text that they show once they wait for a key.
SCREENS = {"learn": (["learn", "journey", "--from", "2"], " 2/"), "start": (["start", "--steps", "20"], "1/12  guess"),
           "build": (["build", "attention"], "attention  1/13"), "build, writing": (["build", "attention"], "attention  1/13")}
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


class Words(unittest.TestCase):
    """At 80 columns nothing is cut inside a word: every word of a screen is one of the same screen on a wide terminal."""

    WIDE = 240
    ENDS = ".,:;?!()[]\"'"

    def screens(self, columns, name):
        """What the screens show, one after the other, without rules and what belongs to the size."""
        arguments, first, keys = EVERY[name]
        with Terminal(*arguments, "--no-state", lines=150, columns=columns) as t:
            shown = t.until(first, "q quit")
            yield t.screen.rows()
            for key in keys(shown):
                t.after(key)
                yield t.screen.rows()
            t.send("xq")
            self.assertEqual(t.ended(), 0)

    def test_no_word_is_cut(self):
        pages = 0
        for name in list(EVERY)[::one_in(4)]:
            for narrow, wide in zip(self.screens(80, name), self.screens(self.WIDE, name)):
                pages += 1
                known = {word.strip(self.ENDS) for word in " ".join(wide).split()}
                for row in narrow[:2] + narrow[3:-3]:  # the map and the last three lines adapt to the width
                    row = re.sub(r"columns [\d, to]+ of \d+", "", row)  # from a wide tensor
                    cut = [word for word in row.split() if word.strip(self.ENDS) not in known and not set(word) <= set("[=.]-")]
                    with self.subTest(name=name, screen=narrow[0].strip(), row=row):
                        self.assertEqual(cut, [])
        print(f"screens: {pages} at 80 columns, no word cut")

    def test_the_lines_of_a_training(self):
        words = {}
        with tempfile.TemporaryDirectory() as folder:
            for columns in 80, self.WIDE:
                arguments = ["train", *SMALL, "--steps", "3", "--out", str(Path(folder, "a-run-with-a-name", str(columns)))]
                with Terminal(*arguments, lines=200, columns=columns) as t:
                    self.assertEqual(t.ended(), 0)
                    words[columns] = set(re.findall(r"[A-Za-z]{2,}", "\n".join(t.screen.rows())))
        self.assertEqual(words[80] - words[self.WIDE], set())

    def test_the_bar_has_eight_keys(self):
        for name, keys in ("learn journey", "Enter b Tab p E w g q"), ("build attention", "Enter h s u n g q"):
            narrow = list(self.screens(80, name))[1]
            for key in keys.split():
                self.assertRegex(narrow[-1], rf"(^|  ){key} ", name)
            self.assertIn("? more", narrow[-1])


LESSONS = [stop for stop in re.findall(r"(?m)^. (\S+(?: \S+)?) +(?:\d+/\d+)? +\d+m", glassgrad("learn", "--no-state").out)]
EVERY = {}
for stop in LESSONS:
    if stop == "start":
        EVERY[stop] = (["start", "--steps", "5", "--from", "head"], "4/12", lambda shown: ["\r"] * 8)
    elif stop.startswith("build"):
        EVERY[stop] = (stop.split(), " 1/", lambda shown: ["n"] * (int(re.search(r" 1/(\d+)", shown)[1]) - 1) + ["h", "h", "h", "?"])
    else:
        EVERY[f"learn {stop}"] = (["learn", stop], " 1/", lambda shown: ["n"] * (int(re.search(r" 1/(\d+)", shown)[1]) - 1) + ["?"])
EVERY["the list"] = (["learn"], "The path", lambda shown: ["j"] * (len(LESSONS) - 1) + ["?"])


if __name__ == "__main__":
    unittest.main()
