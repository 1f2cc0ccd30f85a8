#!/usr/bin/env python3
"""Predicting numbers: answers from files and from stdin, slips that are recognised, the sheet, and bad input."""
import json
import math
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import program
from terminal import Terminal

LESSONS = ["journey", "gpt-attention", "single-and-multi", "cat", "climb"]
PROMPT = re.compile(r"^--- question (\d+) of (\d+), step ([\d.]+) (\S+) -*$", re.M)


def softmax(row):
    exps = [math.exp(x) for x in row]
    return [e / sum(exps) for e in exps]


def number(x):
    return x if isinstance(x, (int, float)) else float(x.replace("Infinity", "inf"))


class Predict(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run = program.learn("--format", "json")
        cls.tensors = {(s["id"], t["name"]): t["data"] for s in json.loads(run.out)["steps"] for t in s["tensors"]}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def cell(self, step, tensor, *index):
        value = self.tensors[step, tensor]
        for i in index:
            value = value[i]
        return number(value)

    def check_file(self, text, *arguments, lesson="journey"):
        path = self.folder / "answers.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return program.learn("--answers", path, *arguments, lesson=lesson)

    def answer(self, lines, *arguments, lesson="journey"):
        run = subprocess.run([program.PROGRAM, "learn", lesson, "--predict", *arguments], input=lines, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=program.PATIENCE)
        return program.Result(run)

    def sheet(self, *arguments, lesson="journey"):
        run = program.learn("--format", "markdown", "--predict", *arguments, lesson=lesson)
        self.assertEqual((run.code, run.err), (0, ""))
        questions, solutions = run.out.split('<div style="page-break-after: always"></div>')
        return questions, solutions.split("```")[1]

    # ---- files
    def test_right_answers(self):
        answers = "# from the lesson's own numbers\n\n"
        for step, tensor, *index in [("scores", "attn_scores", 1, 0), ("weights", "attn_weights", 5, 2),
                                     ("masked-softmax", "attn_weights", 1, 0), ("masked-softmax", "attn_weights", 1, 2),
                                     ("masked-scores", "masked", 0, 1), ("context", "all_context_vecs", 3, 2)]:
            answers += f"{step}:{tensor}[{','.join(map(str, index))}]={self.cell(step, tensor, *index)!r}\n"
        answers += "24:masked[0,2] = -inf  # a step by its number\r\nweights:attn_weights.sum(-1)[-1]=1.\n"
        answers += "split-transpose:keys.shape[-1]=1\nscore-22:attn_score_22=1.8524\n"
        run = self.check_file(answers)
        self.assertEqual((run.code, run.out, run.err), (0, "10 of 10 right (100 %).\n", ""))

    def test_wrong_answers_and_their_slips(self):
        scores, scaled = self.tensors["masked-scores", "masked"], self.tensors["trainable-weights-2", "scaled_scores_2"]
        raw = self.tensors["trainable-scores-2", "attn_scores_2"]
        row, root = [number(x) for x in scores[2][:3]], math.sqrt(2)
        unmasked = [x / root for x in self.tensors["v2-weights", "attn_scores"][2]]
        weights, values = self.tensors["trainable-weights-2", "attn_weights_2"], self.tensors["keys-values", "values"]
        columns = [math.exp(r[1]) for r in self.tensors["scores", "attn_scores"]]
        slips = [
            ("trainable-weights-2:attn_weights_2[1]", softmax(raw)[1], "without dividing by 1.4142 (the root of 2)"),
            ("trainable-weights-2:attn_weights_2[0]", softmax([x / 2 for x in raw])[0],
             "by dividing by 1.4142 (the root of 2) twice"),
            ("trainable-weights-2:scaled_scores_2[2]", raw[2] * root, "the opposite of dividing by 1.4142"),
            ("trainable-weights-2:attn_weights_2[3]", scaled[3] / sum(scaled), "without exponentials"),
            ("masked-softmax:attn_weights[2,0]", softmax(row)[0], "without dividing by 1.4142"),
            ("masked-softmax:attn_weights[2,1]", softmax([x / root for x in row] + [0, 0, 0])[1],
             "with 0 instead of -inf in the masked places"),
            ("masked-softmax:attn_weights[2,2]", softmax(unmasked)[2], "without the mask"),
            ("weights:attn_weights[3,1]", columns[3] / sum(columns), "with dim 0 instead of dim 1 in softmax"),
            ("trainable-context-2:context_vec_2[1]", sum(w * v[1] for w, v in zip(weights[:-1], values)),
             "without the last product"),
            ("context:all_context_vecs[1,0]", -self.cell("context", "all_context_vecs", 1, 0), "One way to get that is to lose the sign."),
            ("keys-values:queries[1,0]", self.cell("keys-values", "queries", 2, 0), "One way to get that is to read queries[2,0]"),
            ("split-transpose:keys.shape[3]", 6, "to take the size of dimension 2"),
        ]
        run = self.check_file("".join(f"{cell}={value:.6g}\n" for cell, value, _ in slips))
        lines = run.out.splitlines()
        self.assertEqual(run.code, 1, run.out)
        self.assertEqual(len(lines), len(slips) + 1, run.out)
        for line, (cell, _, words) in zip(lines, slips):
            self.assertTrue(line.startswith(cell + ": "), line)
            self.assertIn(words, line)
        self.assertEqual(lines[-1], f"0 of {len(slips)} right (0 %).")
        self.assertEqual(run.err, "glassgrad: 0 % of the answers are right, and --pass asks for 100 %\n")

    def test_slips_of_other_runs(self):
        """Nothing is stored: with other sizes the slips are other numbers."""
        cell, sizes = "split-masked-scores:scaled_scores[0,1,1,0]", ["--heads", "3", "--d-out", "6", "--seed", "7"]
        steps = json.loads(program.learn("--format", "json", *sizes).out)["steps"]
        right = number(next(t["data"][0][1][1][0] for s in steps if s["id"] == "split-masked-scores"
                            for t in s["tensors"] if t["name"] == "scaled_scores"))
        for slip, words in [(right * math.sqrt(2), "without dividing by 1.4142 (the root of 2)"),
                            (right / math.sqrt(3), "the width of all heads"), (right / math.sqrt(2), "twice")]:
            self.assertIn(words, self.check_file(f"{cell}={slip:.6g}\n", *sizes).out)

    def test_how_near_is_near_enough(self):
        for text, right in [("0.55", True), ("0.5517", True), ("0.5515", True), ("5.5e-1", True), ("16/29", True),
                            ("0.6", False), ("0.56", False), ("0.551", False), ("-0.55", False), ("inf", False),
                            ("nan", False)]:
            run = self.check_file(f"masked-softmax:attn_weights[1,0]={text}\n")
            self.assertEqual(run.code, 0 if right else 1, text)

    def test_pass(self):
        half = "masked-softmax:attn_weights[1,2]=0\nmasked-softmax:attn_weights[0,0]=0.3\n"
        for percent, code in [("50", 0), ("50.5", 1), ("0", 0), ("100", 1)]:
            self.assertEqual(self.check_file(half, "--pass", percent).code, code, percent)

    def test_junk(self):
        for text, words in [("hello\n", ["line 1", "'hello' is no answer", "STEP:TENSOR[i,j]=VALUE"]),
                            ("=3\n", ["line 1"]),
                            ("\n# x\nscores:attn_scores[0,0]=abc\n", ["line 3", "'abc' is no number", "1/3"]),
                            ("scores:attn_scores[0,0]=1/0\n", ["'1/0' is no number"]),
                            ("scores:attn_scores[0,0]=\n", ["'' is no number"]),
                            ("scores:attn_scores[6,0]=1\n", ["line 1", "no cell [6,0]", "0 to 5"]),
                            ("scores:attn_scores[0]=1\n", ["needs 2 indices"]),
                            ("scores:attn_score[0,0]=1\n", ["did you mean attn_scores"]),
                            ("scors:attn_scores[0,0]=1\n", ["scores"]),
                            ("scores:attn_scores.shape[2]=1\n", ["no size", "2 dimensions"]),
                            ("scores:attn_scores.sum(-1)=1\n", ["line 1"]),
                            ("scores:attn_scores[0,0]=1\n8:attn_scores[0,-6]=1\n", ["line 2", "line 1 already"]),
                            ("# nothing\n", ["holds no answers"]), ("", ["holds no answers"]),
                            (b"\xff\x00\x1b[2J=1\n", ["line 1"])]:
            run = self.check_file(text)
            self.assertEqual((run.code, run.out), (1, ""), text)
            self.assertEqual(len(run.err.splitlines()), 1, run.err)
            for word in ["answers.txt", *words]:
                self.assertIn(word, run.err)

    def test_bad_flags(self):
        for code, arguments in [(2, ["--predict", "all"]), (2, ["--predict", ""]), (2, ["--pass", "50"]),
                                (2, ["--predict", "exam", "--pass", "101"]), (2, ["--predict", "exam", "--pass", "x"]),
                                (2, ["--predict", "first", "--plain"]), (2, ["--predict", "first", "--speak"]),
                                (2, ["--predict", "first", "--format", "json"]), (1, ["--answers", "absent.txt"]),
                                (1, ["--answers", "."]), (2, ["--predict", "exam", "--from", "nowhere"]),
                                (2, ["--predict", "first", "--from", "inputs", "--to", "inputs"]),
                                (2, ["--format", "markdown", "--answers", "x"])]:
            run = program.learn(*arguments)
            self.assertEqual((run.code, run.out, len(run.err.splitlines())), (code, "", 1), (arguments, run.err))

    # ---- exams
    def test_every_exam_can_be_passed(self):
        for lesson in LESSONS:
            questions, solutions = self.sheet("exam", lesson=lesson)
            self.assertEqual(len(re.findall("^## ", questions, re.M)), 10, lesson)
            self.assertEqual(questions.count("________________________\n"), 11)
            run = self.check_file(solutions, "--predict", "exam", "--pass", "100", lesson=lesson)
            self.assertEqual((run.code, run.out), (0, "10 of 10 right (100 %).\n"), run.err)
            answers = "".join(line.split("  #")[0].split("=")[-1] + "\n" for line in solutions.strip().splitlines())
            run = self.answer(answers, "exam", "--pass", "100", lesson=lesson)
            self.assertEqual((run.code, run.out.splitlines()[-1]), (0, "10 of 10 right (100 %)."), run.err)
            self.assertEqual(run.out.count("Right: "), 10)

    def test_the_sheet_is_the_same_and_hides_its_answers(self):
        questions, solutions = self.sheet("first")
        self.assertEqual((questions, solutions), self.sheet("first"))
        sections = re.split(r"^## \d+\. ", questions, flags=re.M)[1:]
        lines = solutions.strip().splitlines()
        self.assertEqual(len(sections), len(lines))
        for section, line in zip(sections, lines):
            value = line.split("  #")[0].strip().split("=")[-1]
            if re.search(r"\.sum\(|argmax|\.fixed|late_mask|:ask", line):
                continue
            blank = section.split("```")[-2]
            self.assertNotIn(value, re.split(r"[\s()]+", blank), section)
        self.assertNotEqual(solutions, self.sheet("first", "--seed", "7")[1])

    def test_exam_from_a_file(self):
        _, solutions = self.sheet("exam")
        lines = solutions.strip().splitlines()
        run = self.check_file("\n".join(lines[1:]), "--predict", "exam")
        self.assertEqual(run.code, 1)
        self.assertEqual(run.out, f"{lines[0].split('=')[0]}: not answered\n9 of 10 right (90 %); 1 not answered.\n")
        run = self.check_file("\n".join(lines) + "\ninputs:inputs[0,0]=0.43\n", "--predict", "exam")
        self.assertEqual((run.code, run.out), (1, ""))
        self.assertIn("line 11: inputs:inputs[0,0] is no question of --predict exam", run.err)

    # ---- a line at a time
    def test_tries_and_hints(self):
        weights = self.tensors["trainable-scores-2", "attn_scores_2"]
        slip = f"{softmax(weights)[1]:.4f}"
        only = ["--from", "trainable-weights-2", "--to", "trainable-weights-2"]
        first = "z\nlarger\nb\n"  # a choice is made by its words or its letter
        run = self.answer(first + f"{slip}\n?\n?\n?\nabc\n0.9\n", "cells", *only)
        self.assertEqual(run.code, 0)
        self.assertIn("'z' is no choice", run.out)
        asked, replies = run.out.split('Key "journey": what number does attn_weights_2 have there?\n')[:2]
        self.assertIn("?        ?        ?        ?        ?        ?\n", asked.split("attn_weights_2  (")[-1])
        self.assertTrue(replies.startswith("No. One way to get that is to compute it without dividing by 1.4142"))
        for word in ("scaled_scores_2. One more try; ? gives a hint.", "Hint 1 of 3: softmax: exp(x",
                     "Hint 2 of 3: ", "scaled_scores_2[1] = 1.3098", "Hint 3 of 3:", "row sum = 4.4173", "'abc' is no number",
                     "No. attn_weights_2[1] is 0.2264."):
            self.assertIn(word, " ".join(replies.split()))
        self.assertNotIn("0.2264", replies.split("'abc'")[0])
        self.assertTrue(run.out.endswith("= 0.2264\n\n2 of 3 right (67 %).\n"))  # ends with the opened arithmetic
        self.assertTrue(self.answer(first + "9\n0.2264\n", "cells", *only).out.endswith("3 of 3 right (100 %).\n"))
        self.assertIn("3 of 3 right", self.answer(first + "9\n0.2264\n", "cells", *only, "--pass", "100").out)

    def test_the_end_of_the_input_ends_with_the_score(self):
        run = self.answer("", "first", "--pass", "1")
        last = run.out.splitlines()[-1]
        self.assertRegex(last, r"^0 of (\d+) right \(0 %\); \1 not answered\.$")
        self.assertEqual((run.code, len(PROMPT.findall(run.out))), (1, 1))
        several = self.answer("\n" * 500, "cells")
        numbers = PROMPT.findall(several.out)
        self.assertEqual(len(numbers), int(numbers[0][1]))
        self.assertGreater(len(numbers), int(PROMPT.findall(run.out)[0][1]))

    # ---- on the full screen
    def press(self, terminal, keys, *words):
        terminal.send(keys)
        return terminal.until(*words)

    def test_a_question_on_the_screen(self):
        with Terminal("learn", "journey", "--no-state", "--from", "masked-softmax") as t:
            t.until("masked-softmax", "journey  0.3293 ", "q quit")
            shown = self.press(t, "p", "At which key is attn_weights largest", "a) Your", "A letter:", "Esc not now")
            self.assertNotIn("0.5517", shown)
            self.assertNotIn("Scale and softmax come after", shown)
            self.press(t, "?", "Hint 1 of 3")
            self.press(t, "\r?", "Hint 2 of 3")  # Enter after a hint does not give up
            self.press(t, "c\r", "No. One more try; ? gives a hint.", "A letter:")
            self.press(t, "b\r", "No. It is a) Your. 0 of 1 so far.", "Softmax makes Your 0.5517",
                       "Scale and softmax come after")
            self.press(t, "p", "whatever the scores")
            self.press(t, "your\r", "Right: a) Your. 1 of 2 so far.")
            self.press(t, "p", "Suppose the mask came after softmax", "a) less than 1")
            self.press(t, "\x1b", "q quit", "Scale and softmax come after")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_every_step_asks(self):
        with Terminal("learn", "journey", "--no-state", "--predict", "cells", "--pass", "50", "--from", "masked-softmax",
                      "--to", "masked-softmax") as t:
            t.until("At which key is", "A letter:")
            self.press(t, "a\r", "Right: a) Your. 1 of 1 so far.", "whatever the scores", "A letter:")
            self.press(t, "\r", "It is a) Your. 1 of 2 so far.", "came after softmax")
            self.press(t, "c\r", "No. It is a) less than 1. 1 of 3 so far.", "attn_weights[1,0] =")
            self.press(t, "0.2041\r", "One way to get that is to compute it without the mask", "One more")
            shown = self.press(t, "abc\r", "'abc' is no number")
            self.assertNotIn("0.5517", shown)
            shown = self.press(t, "\x1b[6~" * 2, "journey       ?        ?        ?        ?        ?        ?")
            self.assertNotIn("row sum", shown)
            self.press(t, "9\r", "No. attn_weights[1,0] is 0.5517. 1 of 4 so far.", "attn_weights[1,2] =")
            self.press(t, "0\r", "Right: attn_weights[1,2] is 0.0000. 2 of 5 so far.", "q quit")
            t.send("q")
            t.until("2 of 5 right (40 %).", "40 % of the answers are right, and --pass asks for 50 %")
            self.assertEqual(t.ended(), 1)


if __name__ == "__main__":
    unittest.main()
