#!/usr/bin/env python3
"""glassgrad review: what was missed comes back on its day, on a terminal and from a pipe."""
import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import PATIENCE, PROGRAM, Result, glassgrad
from terminal import Terminal

ASKED = "masked-softmax:attn_weights.argmax(-1)[1]"


class Review(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = folder.name
        self.file = Path(self.state, "glassgrad", "progress.json")

    def review(self, day, typed="", *arguments):
        return Result(subprocess.run([PROGRAM, "review", *map(str, arguments)], input=typed, text=True, timeout=PATIENCE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     env={**os.environ, "XDG_STATE_HOME": self.state, "GLASSGRAD_TODAY": day}))

    def keep(self, *replies, question=ASKED):
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text(json.dumps({"last": "journey", "lessons": {"journey": {
            "step": "masked-softmax", "seen": ["masked-softmax"], "questions": {question: list(replies)}}}}))

    def replies(self):
        return json.loads(self.file.read_text())["lessons"]["journey"]["questions"][ASKED]

    def test_what_was_missed_on_the_screen_comes_back(self):
        with Terminal("learn", "journey", "--from", "masked-softmax", state=self.state, GLASSGRAD_TODAY="2026-11-01") as t:
            t.until("q quit")
            t.send("p")
            t.until("A letter:")
            t.send("\r")
            t.until("0 of 1 so far")
            t.send("q")
            self.assertEqual(t.ended(), 0)
        self.assertEqual(self.replies(), ["2026-11-01 wrong"])
        nothing = self.review("2026-11-01")
        self.assertEqual((nothing.code, nothing.err), (0, ""))
        self.assertEqual(nothing.out, "Nothing is due today. Next: 1 question on 2026-11-02, tomorrow.\n")
        with Terminal("review", state=self.state, GLASSGRAD_TODAY="2026-11-02") as t:
            t.until("At which key is", "a) Your", "(? gives a hint) =")
            t.send("?\n")
            t.until("Hint 1 of 3")
            t.send("a\n")
            t.until("Right: a) Your.", "It comes back on 2026-11-05, in 3 days.", "1 of 1 right")
            self.assertEqual(t.ended(), 0)
        self.assertEqual(self.replies(), ["2026-11-01 wrong", "2026-11-02 right"])

    def test_an_answer_is_kept_as_it_is_given(self):
        self.keep("2026-11-01 wrong")
        whole = json.loads(self.file.read_text())
        questions = whole["lessons"]["journey"]["questions"]
        for cell in "[0,1]", "[0,2]":  # the last question stays open
            questions["scores:attn_scores" + cell] = ["2026-11-01 wrong"]
        self.file.write_text(json.dumps(whole))
        for number in signal.SIGKILL, signal.SIGQUIT:
            with Terminal("review", state=self.state, GLASSGRAD_TODAY="2026-11-02") as t:
                t.until("(? gives a hint) =")
                t.send("\n")
                while "It comes back on 2026-11-03" not in t.raw:
                    self.assertTrue(t.read())
                t.signal(number)
                self.assertEqual(t.ended(), 128 + number)
            kept = json.loads(self.file.read_text())["lessons"]["journey"]["questions"]
            self.assertIn("2026-11-02 wrong", [replies[-1] for replies in kept.values()])
        self.assertEqual(sorted(len(replies) for replies in kept.values()), [1, 2, 2])

    def test_right_goes_on_and_wrong_begins_again(self):
        self.keep("2026-11-01 wrong", "2026-11-02 right")
        self.assertIn("It comes back on 2026-11-13, in 7 days.", self.review("2026-11-06", "a\n").out)
        self.assertIn("You know it now: it does not come back.", self.review("2026-11-13", "a\n").out)
        self.assertTrue(self.review("2027-01-01").out.startswith("Nothing has to come back."))
        self.keep("2026-11-01 wrong", "2026-11-02 right")
        missed = self.review("2026-11-06", "b\nc\n")
        self.assertTrue(missed.out.startswith("From the lesson journey: glassgrad learn journey --from masked-softmax\n"))
        self.assertEqual((missed.code, missed.err), (0, ""))
        self.assertIn("Softmax makes Your 0.5517", missed.out)
        self.assertIn("It comes back on 2026-11-07, tomorrow.", missed.out)
        self.assertTrue(missed.out.endswith("0 of 1 right (0 %).\nNext: 1 question on 2026-11-07, tomorrow.\n"))

    def test_an_end_of_the_input_leaves_it_due(self):
        self.keep("2026-11-01 wrong")
        run = self.review("2026-11-06", "")
        self.assertEqual(run.code, 0)
        self.assertIn("0 of 1 right (0 %); 1 not answered.", run.out)
        self.assertEqual(self.replies(), ["2026-11-01 wrong"])
        self.assertIn("1 question is due: glassgrad review\n", glassgrad("learn", env={
            **os.environ, "XDG_STATE_HOME": self.state, "GLASSGRAD_TODAY": "2026-11-06"}).out)

    def test_what_is_no_longer_asked_is_forgotten(self):
        self.keep("2026-11-01 wrong", question="masked-softmax:\x1b[2Jnothing[1,0]")
        run = self.review("2026-11-06", "")
        self.assertEqual(run.code, 0)
        self.assertNotIn("\x1b", run.out)
        self.assertIn("the lesson journey no longer asks this", run.out)
        self.assertNotIn("0 of 0", run.out)
        self.assertNotIn("questions", json.loads(self.file.read_text())["lessons"]["journey"])

    def test_export_and_reset(self):
        self.keep("2026-11-01 wrong")
        copy = Path(self.state, "copy.json")
        self.assertEqual(self.review("2026-11-06", "", "--export", copy).out, f"Your progress is in {copy}.\n")
        self.assertEqual(json.loads(copy.read_text()), json.loads(self.file.read_text()))
        self.assertEqual(self.review("2026-11-06", "", "--export", "-").out, copy.read_text())
        self.assertEqual(self.review("2026-11-06", "", "--reset").out, "Your progress is forgotten.\n")
        self.assertEqual(json.loads(self.file.read_text())["lessons"], {})
        for arguments in ["--export", "x", "--reset"], ["--export", "/nowhere/x"], ["--export", ""]:
            run = self.review("2026-11-06", "", *arguments)
            self.assertEqual((run.code, run.out, len(run.err.splitlines())), (2, "", 1), arguments)
        self.assertEqual(self.review("yesterday").code, 2)


if __name__ == "__main__":
    unittest.main()
