#!/usr/bin/env python3
"""`glassgrad build`: exercises on the full screen, line by line, for a class, and what is kept of them."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import PATIENCE, PROGRAM, glassgrad
from terminal import Terminal

DOT = "score = query @ key"
ESCAPE = "\x1b"


def build(*arguments, typed="", state=None):
    """Its lines from a pipe: (exit code, output, errors)."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([PROGRAM, "build", *map(str, arguments)], input=typed, text=True, timeout=PATIENCE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "XDG_STATE_HOME": str(state or folder)})
        return done.returncode, done.stdout, done.stderr


def exercises(course):
    """A course's exercises, as its page has them."""
    return json.loads(re.search(r'id="data">(.*?)</script>', build(course, "--html", "-")[1], re.S)[1])["exercises"]


def kept(state, course="attention"):
    path = Path(state, "glassgrad", "build", f"{course}.py")
    return path.read_text() if path.exists() else None


class Page(unittest.TestCase):
    def test_a_course_as_a_page(self):
        code, page, err = build("autograd", "--html", "-")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual([e["id"] for e in exercises("autograd")][:2], ["mul", "bias"])
        self.assertNotEqual(page, build("autograd", "--html", "-", "--seed", 7)[1])
        for wrong in ["attention", "--html", "-", "--from", "2"], ["--html", "-"], ["attention", "--html", ""]:
            self.assertEqual(build(*wrong)[0], 2, wrong)


class Names(unittest.TestCase):
    def test_a_lesson_without_exercises(self):
        self.assertEqual(build("lab"), (2, "", "glassgrad: lab is a lesson without exercises: `glassgrad learn lab` steps through it, "
                                               "`glassgrad build` lists the courses\n"))


class FullScreen(unittest.TestCase):
    def test_an_exercise_from_the_blank_to_the_next(self):
        with tempfile.TemporaryDirectory() as state, Terminal("build", "attention", state=state) as t:
            t.until("attention  1/13  dot", "You have: x (6, 3)", "> ...", "Enter write", "q quit")
            self.assertFalse(t.screen.cursor)
            t.send("\r")
            t.until("Ctrl-N new line")
            t.send("score = query * key\r")
            t.until("score has shape (3,), and should have ().", "One way to get this: You multiplied", "Enter write")
            t.send("h")
            t.until("Hint 1: Two steps")
            t.send("\r\x15" + DOT + ESCAPE)  # leave without a run
            t.until("> " + DOT, "Not run yet", "Enter write")
            t.send("u")
            t.until("> score = query * key", "The answer before is back.")
            t.send("\r\x15" + DOT + "\r")
            t.until("Right. score agrees, and again in a second run with different numbers.", "solved", "Enter next", "1 of 13 solved")
            t.send("\r")
            t.until("attention  2/13  scores", "> ...")
            t.send("\rwhile True: torch.ones(900, 900) @ torch.ones(900, 900)\r")  # ten seconds
            t.until("Running your line ... Esc stops it.")
            t.send("\x03")
            t.until("Stopped: nothing has changed.", "Ctrl-N new line")
            t.send("\x15while True: pass\r")
            t.until("It was stopped", without="Esc stop")
            t.send("r")
            t.until("> ...", "u brings your answer back")
            t.send("g12\r")
            t.until("12/13  multi-head", "below, Space")
            t.send("g99\r")
            t.until("There is no exercise '99'; there are 1 to 13.")
            t.send("?")
            t.until("write it in your own editor")
            t.send("xq")
            self.assertEqual(t.ended(), 0)
            self.assertEqual(t.settings("before"), t.settings("after"))
            self.assertEqual(kept(state), f"# glassgrad build attention\n\n# == dot: The dot product [solved]\n{DOT}\n")

    def test_several_lines_and_matrices_at_80_columns(self):
        with Terminal("build", "attention", "--from", "mask", NO_COLOR="1") as t:
            t.until("7/13  mask", "q quit")
            t.send("\rmasked = scaled.clone()\x0efor i in range(n):\rmasked[i, i:] = 0\r\r")
            shown = t.until("masked differs in 21 of 36 cells.", "~ differs")
            self.assertIn("right (6, 6)", shown)
            self.assertIn("yours (6, 6)", shown)
            self.assertRegex(shown, r"~-inf")
            t.resize(30, 100)
            t.until("masked differs in 21 of 36 cells.", "-" * 100)
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_backspace_in_the_margin_leaves_the_block(self):
        with Terminal("build", "attention", "--no-state") as t:
            t.until("1/13  dot", "q quit")
            t.send("\rif n > 1:\rscore = query @ key\r\x7fscore = score + 0\r")
            t.until("> score = score + 0", "Right.")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_the_own_editor(self):
        with tempfile.TemporaryDirectory() as folder:
            editor = Path(folder, "editor")
            editor.write_text(f"#!/bin/sh\ncat \"$1\" >'{folder}/seen'\nstty -a | grep -o ' icanon' >'{folder}/tty'\necho '{DOT}' >>\"$1\"\n")
            editor.chmod(0o755)
            with Terminal("build", "attention", "--no-state", EDITOR=str(editor)) as t:
                t.until("dot", "q quit")
                t.send("e")
                t.until("Right.", "Enter next")
                t.signal(2)
                self.assertEqual(t.ended(), 130)
                self.assertEqual(t.settings("before"), t.settings("after"))
            self.assertIn("#| The dot product", Path(folder, "seen").read_text())
            self.assertEqual(Path(folder, "tty").read_text(), " icanon\n")

    def test_the_end_of_a_course_runs_it(self):
        with tempfile.TemporaryDirectory() as state:
            path = Path(state, "glassgrad", "build", "gpt.py")
            path.parent.mkdir(parents=True)
            path.write_text("".join(f"# == {e['id']}: [solved]\n" + "\n".join(e["solution"]) + "\n" for e in exercises("gpt")[10:]))
            with Terminal("build", "gpt", state=state) as t:
                t.until("gpt  1/12", "q quit")
                answers = ["h = tok(ids) + pos(torch.arange(n))", "normed = (x - mean) / (var + self.eps).sqrt()",
                           "y = nn.functional.gelu(x, approximate='tanh')", "self.narrow = nn.Linear(4 * width, width)",
                           "x = self.attention(self.norm1(x)) + x", "dropped = torch.where(keep > 0, x / (1 - p), 0.0)", "logits = self.head(self.norm(x))",
                           "loss = -logits.log_softmax(-1)[torch.arange(len(targets)), targets].mean()",
                           "model.zero_grad()\rloss.backward()\roptimizer.step()\r",
                           "next_id = logits[:, -1:].argmax(dim=-1)"]
                for k, answer in enumerate(answers, 1):
                    t.send("\r" + answer + "\r")
                    t.until(f"gpt  {k}/12", "Right.", "Enter next")
                    t.send("\r")
                for page in "11/12  training-loop", "12/12  sampling":
                    t.until(page, "Solved. Enter goes on.")
                    t.send("\r")
                t.until("After training:", "cats climb trees during storms .", "12 of 12 solved", "below, Space")
                t.send(" ")
                t.until("Enter goes on to")
                t.send(" ")
                t.until("This is the end. Enter goes on to")
                t.send("q")
                self.assertEqual(t.ended(), 0)
            code, out, _ = build(state=state)
            self.assertEqual(code, 0)
            self.assertRegex(out, r"gpt +12 of 12 solved")


    def test_the_end_of_a_course_is_whole_at_80_columns(self):
        with tempfile.TemporaryDirectory() as state:
            path = Path(state, "glassgrad", "build", "attention.py")
            path.parent.mkdir(parents=True)
            path.write_text("".join(f"# == {e['id']}: [solved]\n" + "\n".join(e["solution"]) + "\n" for e in exercises("attention")))
            with Terminal("build", "attention", state=state) as t:
                t.until("attention  1/13", "q quit")
                t.send("g13\r")
                t.until("13/13  page", "Solved. Enter goes on.")
                t.send("\r")
                t.until("Your class is multi-head attention.")
                self.assertRegex(" ".join(t.after("\x1b[F").split()), r"tokens: \[(False, ){5}True\]")
                t.send("q")
                self.assertEqual(t.ended(), 0)

    def test_a_block_runs_from_anywhere_and_long_lines_are_whole(self):
        with Terminal("build", "attention", "--no-state") as t:
            t.until("1/13  dot", "Enter write", "q quit")
            t.send("\rfor k in range(2):\rscore = query @ key" + "\x1b[A")  # the cursor is in the first line
            t.until("> for k in", "Enter new line", "Ctrl-R run")
            t.send("\x12")
            t.until("Right. score agrees")
            t.send("i\x15\x7f\x15score = query @ key" + " + 0.0" * 19 + " + 0 * 5")
            shown = t.until("Enter run", " + 0 * 5")
            self.assertEqual(shown.count("0.0"), 19)
            t.send("\r")
            t.until("Right. score agrees")
            t.send("q")
            self.assertEqual(t.ended(), 0)


class Lines(unittest.TestCase):
    def test_commands_and_answers(self):
        code, out, err = build("attention", typed="hint\nscore = query * key\nundo\nundo\nsolution\nback\nbogus\n" + DOT +
                               "\nnext\ngoto 1\ngoto x\nedit\nhelp\nquit\nnot read\n")
        self.assertEqual((code, err), (0, ""))
        for words in ["1. The dot product  (1 of 13)", "Hint 1: Two steps", "One way to get this: You multiplied", "The answer before is back.",
                      "There is no answer before", "\n" + DOT + "\n", "This is the first exercise.", "NameError: name 'bogus'", "  Right. score agrees",
                      "2. All scores at once  (2 of 13)", "3. Softmax, row by row", "(1 of 13, solved)", "There is no exercise 'x'",
                      "edit needs a terminal", "goto N, on, return, list, help,\nquit. Everything"]:
            self.assertIn(words, out)

    def test_an_answer_of_several_lines_and_the_end_of_input(self):
        code, out, _ = build("attention", typed="score = sum(\n  q * k\n  for q, k in zip(query, key))\n")
        self.assertEqual(code, 0)
        self.assertIn("Right. score agrees", out)
        code, out, _ = build("attention", "--speak", typed="total = 0\nfor q, k in zip(query, key):\n    total = total - q * k\n\nscore = -total")
        self.assertEqual(code, 0)
        self.assertIn("Your answer makes no score.", out)
        self.assertIn("Exercise 1 of 13: The dot product.", out)
        self.assertEqual(build("attention")[0], 0)

    def test_what_is_kept(self):
        with tempfile.TemporaryDirectory() as state:
            build("attention", "--no-state", typed=DOT, state=state)
            self.assertFalse(os.listdir(state))
            build("attention", typed=DOT, state=state)
            self.assertIn(DOT, kept(state))
            self.assertIn("2. All scores", build("attention", state=state)[1])
            self.assertRegex(build(state=state)[1], r"attention +1 of 13 solved")
            path = Path(state, "glassgrad", "build", "attention.py")
            path.write_bytes(b"\xff\x00 broken")
            code, out, _ = build("attention", typed=DOT, state=state)
            self.assertEqual(code, 0)
            self.assertIn("attention.py.aside", out)
            self.assertEqual(Path(str(path) + ".aside").read_bytes(), b"\xff\x00 broken")
            self.assertIn(DOT, kept(state))

    def test_what_the_command_line_refuses(self):
        for arguments in ["atention"], ["attention", "--from", "14"], ["--grade", "x"], ["attention", "--json"], \
                ["attention", "--answer", "dot"], ["attention", "--answer", "dot=x", "--grade", "y"], ["attention", "--seed", "x"]:
            code, out, err = build(*arguments)
            self.assertEqual((code, out, err.count("\n")), (2, "", 1), arguments)


class Files(unittest.TestCase):
    def test_one_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "a.py")
            file.write_text(DOT)
            self.assertEqual(glassgrad("build", "attention", "--answer", f"dot={file}").code, 0)
            file.write_text("score = query * key")
            wrong = glassgrad("build", "attention", "--answer", f"dot={file}", "--json")
            verdict = json.loads(wrong.out)
            self.assertEqual((wrong.code, verdict["right"], verdict["name"]), (1, False, "score"))
            self.assertIn("You multiplied the numbers", verdict["mistake"])

    def test_a_class_with_bad_files(self):
        with tempfile.TemporaryDirectory() as folder:
            def write(name, answer):
                Path(folder, name).write_bytes(b"# == dot\n" + answer)
            write("anna.py", DOT.encode() + b"\n# == scores\nscores = x.T @ x\n")
            write("bert.py", b"while True: pass")
            write("carl.py", b"score = \xff")
            write("dora.py", b"#" * (2 << 20))
            write("emil.py", b"def f(): return f()\nscore = f()")
            write("fred\x1b[2J.py", b"score = torch.zeros(10**6, 10**6)")
            os.mkfifo(Path(folder, "gero.py"))
            write("ida.py", DOT.encode())
            done = glassgrad("build", "attention", "--grade", folder)
            rows = {line.split()[0]: line for line in done.out.splitlines()[1:9]}
            self.assertEqual(done.code, 1)
            self.assertIn("3 of 8 files could not be read", done.err)
            self.assertNotIn("\x1b", done.out)
            for name, row in ("anna.py", r"\+  -  \.( +\.)+   1 of 13"), ("bert.py", r" o( +\.)+   0 of 13"), ("carl.py", "no UTF-8"), \
                    ("dora.py", "bytes"), ("emil.py", r" !( +\.)+   0 of 13"), ("fred?[2J.py", r" o( +\.)+   0 of 13"), \
                    ("gero.py", "cannot be read"), ("ida.py", r" \+( +\.)+   1 of 13"):
                self.assertRegex(rows[name], row)
            graded = [json.loads(line) for line in glassgrad("build", "attention", "--grade", folder, "--json").out.splitlines()]
            self.assertEqual(len({row["seed"] for row in graded}), 8)
            self.assertEqual([row.get("right") for row in graded], [1, 0, None, None, 0, 0, None, 1])
            self.assertEqual(graded[0]["exercises"]["scores"]["kind"], "wrong")
            self.assertEqual(glassgrad("build", "attention", "--grade", Path(folder, "none")).code, 1)

    def test_a_class_with_answers_that_would_end_the_program(self):
        answers = {
            "a": DOT,
            "b": "from torch import nn\nm = nn.Module()\nm.m = m\nm.train()",
            "c": "from torch import nn\nm = nn.Module()\nm.m = m\nscore = len(str(m))",
            "d": "from torch import nn\nx = nn.Identity()\nfor i in range(60000): x = nn.Sequential(x)\nscore = list(x.named_parameters())",
            "e": "t = (int,)\nfor i in range(300000): t = (t,)\nscore = isinstance(1.0, t)",
            "f": "x = [1]\nfor i in range(100000): x = map(abs, x)\nscore = list(x)",
            "g": "x = ()\nfor i in range(60): x = (x, x)\nscore = {x: 1}",
            "h": "x = 'a' * 10**7\ny = 'a' * 5 * 10**6 + 'b'\nscore = x.find(y)",
            "i": DOT}
        with tempfile.TemporaryDirectory() as folder:
            for name, answer in answers.items():
                Path(folder, name + ".py").write_text("# == dot\n" + answer + "\n# == scores\nscores = x @ x.T\n")
            done = glassgrad("build", "attention", "--grade", folder)
            self.assertEqual((done.code, done.err), (0, ""))
            marks = [line.split()[:3] for line in done.out.splitlines()[1:1 + len(answers)]]
            # The machine decides which limit ends an answer first: ten seconds or memory.
            self.assertEqual([mark[::2] for mark in marks], [[f"{name}.py", "+"] for name in answers])
            self.assertRegex("".join(mark[1] for mark in marks), r"\A\+[!o]{6}[-o]\+\Z")


if __name__ == "__main__":
    unittest.main()
