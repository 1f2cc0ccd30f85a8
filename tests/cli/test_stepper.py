#!/usr/bin/env python3
"""The stepper: the full screen, the lines, the spoken form, what it remembers, and how it leaves the terminal."""
import json
import os
import re
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import PATIENCE, PROGRAM, glassgrad, learn, write_npy
from terminal import Screen, Terminal

STEPS = json.loads(learn("--format", "json").out)["steps"]
AT = {step: place for place, step in re.findall(r"^ *([\d.]+) +(\S+)  ", learn("--list").out, re.M)}
N = int(float(AT[STEPS[-1]["id"]]))  # the last step's number
FOOTER = "q quit"
UP, DOWN, RIGHT, LEFT, PAGE_UP, PAGE_DOWN, END = (f"\x1b[{c}" for c in ("A", "B", "C", "D", "5~", "6~", "F"))


def large(folder, tokens=20):
    return write_npy(Path(folder) / "x.npy", [[(i * 7 + j) % 11 / 10 for j in range(3)] for i in range(tokens)])


class FullScreen(unittest.TestCase):
    def journey(self, *arguments, **options):
        return Terminal("learn", "journey", *arguments, **options)

    def test_a_step_at_two_sizes(self):
        for lines, columns in (24, 80), (40, 120):
            with self.journey("--from", "masked-softmax", lines=lines, columns=columns) as t:
                t.until(f" journey  {AT['masked-softmax']}/{N}  section 3.5.1  masked-softmax", "Softmax of the masked scores",
                        "scaled_scores  (T=6 queries, T=6 keys)",
                        "query      Your  journey   starts     with      one     step",
                        "docs/journey.md#masked-softmax", "more:", "Enter down", FOOTER)
                t.send("\x1b[F")
                t.until("row_sums  (T=6 queries, sum=1)", "step    6.5771", "Enter next")
                rows = t.screen.rows()
                self.assertEqual(rows[2], "-" * columns)
                self.assertTrue(t.screen.alternate)
                self.assertFalse(t.screen.cursor)
                self.assertEqual(rows[-1][-len(FOOTER):], FOOTER)
                t.send("q")
                self.assertEqual(t.ended(), 0)
                self.assertFalse(t.screen.alternate)
                self.assertTrue(t.screen.cursor)

    def test_enter_shows_everything_in_order_and_space_the_road(self):
        for lesson, key, places in ("journey", "\r", r"[\d.]+"), ("journey", " ", r"\d+"), ("cat", "\r", r"[\d.]+"):
            listed = re.findall(rf"^ *{places} +(\S+)  ", glassgrad("learn", lesson, "--list").out, re.M)
            with Terminal("learn", lesson, "--from", "1", lines=40, columns=120) as t:
                shown, seen, line = t.until(f"#{listed[0]}", FOOTER), [], 0
                while True:
                    step = re.search(r"section \S+  (\S+)", shown)[1]
                    first, last = (re.findall(r"lines (\d+) to (\d+) of", shown) or [(1, 0)])[0]
                    if step in seen:
                        self.assertLessEqual(int(first), line + 1, shown)  # no line is left out
                        self.assertGreater(int(last), line)
                    else:
                        seen.append(step)
                    line = int(last)
                    if "Enter on" in shown:  # Enter leads to the next item of the path
                        break
                    shown = t.after(key)
                self.assertEqual(seen, listed)

    def test_the_road_is_short(self):
        with self.journey() as t:
            presses, shown = 0, t.until(FOOTER)
            while "This is the last step" not in shown:
                shown = t.after(" ")
                presses += 1
            self.assertLessEqual(presses - 1, 90)

    def test_inside_a_step(self):
        with self.journey("--from", "1") as t:
            for keys, *words in [
                ("gv1-class\r", f"{AT['v1-class']}/{N}"), (END, "Enter: inside SelfAttention_v1 (3 steps)", "Enter inside  Space next"),
                ("\r", f"{AT['v1-projections']}/{N}", "Esc out"), ("n", f"{AT['v1-weights']}/{N}"), ("b", f"{AT['v1-projections']}/{N}"),
                ("b", f"{AT['v1-class']}/{N}"), ("n", f"{AT['v2-class']}/{N}"), ("gv1-weights\r", "v1-weights"), ("\x1b", f"{AT['v1-class']}/{N}"),
                ("gself-attention-v1\r", "self-attention-v1"), ("n", f"{AT['v2-class']}/{N}"), ("b", f"{AT['v1-class']}/{N}"),
            ]:
                t.send(keys)
                with self.subTest(keys):
                    t.until(*words)

    def test_keys(self):
        heads = f"{AT['wrapper-class']}/{N}"  # the start of section 3.6
        with self.journey("--from", "1") as t:
            t.until(f"1/{N}", FOOTER)
            for keys, *words in [
                ("\r", "to 29 of 29"), ("\r", f"2/{N}", STEPS[1]["id"]), ("b", f"1/{N}"), ("b", "This is the first step."), ("n", f"2/{N}"),
                (" ", f"2/{N}", "lines"), (" ", f"3/{N}", "lines 1 to"), ("g", "Go to step", "Esc never mind"),
                (f"{AT['masked-softmax']}\r", "masked-softmax", "lines 1 to 18 of 65"), ("j", "lines 2 to"), ("k", "lines 1 to"),
                (DOWN, "lines 2 to"), (UP, "lines 1 to"), (PAGE_DOWN, "attn_weights  ("),
                (PAGE_UP, "scaled_scores  ("), ("\x1b[4~", "to 65 of 65"), ("\x1b[1~", "lines 1 to"),
                ("t", "tensor([[0.2050,   -inf"), ("t", "0.2050  \u2591"),
                ("gmasked-scores\r", f"{AT['masked-scores']}/{N}"), ("gmasked-score\r", "did you mean masked-scores?"),
                ("g3.6\r", "section 3.6"), ("g99\r", f"its steps are 1 to {N}"), ("g\x1b", heads, FOOTER),
                ("gx\x7f\x7f", "Go to step"), ("\x1b", heads, FOOTER), ("G", f"{N}/{N}"),
                ("\x1b[F", "Enter goes on to build attention", FOOTER), ("n", "This is the last step. Enter goes on to build attention"),
                ("x", "'x' means nothing here"), ("\x1b[15~", "That key means nothing here"),
                ("?", "any other key", "the rest of a step, the next"), ("?", f"{N}/{N}", FOOTER), ("gcat\r", " cat  1/"),
                ("]", " climb  1/"), ("[", " cat  1/"), ("\x7f", " climb  1/"),
            ]:
                t.send(keys)
                with self.subTest(keys):
                    t.until(*words)
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_search(self):
        with self.journey("--from", "1") as t:
            t.until(f"1/{N}", FOOTER)
            t.send("/SOFTMAX\r")
            number = lambda shown: float(re.search(rf"([\d.]+)/{N}", shown)[1])
            first = number(t.until("n next match", "N match before", "Esc end search"))
            second = number(t.after("n"))
            self.assertLess(first, second)
            self.assertLess(second, number(t.after("n")))
            self.assertEqual(number(t.after("N")), second)
            self.assertNotIn("end search", t.after("\x1b"))
            self.assertEqual(number(t.after("n")), second + 1)
            t.send("/no such thing\r")
            t.until("No step has 'no such thing'.")
            t.send("/weighted_inputs\r")
            t.until("weighted_inputs  (T=6 tokens, d_in=3)")
            t.send(f"g{N}\r/SENTENCE AS\r")
            t.until(f" {AT['inputs']}/{N}", "Past the last step: on from the first.")

    def test_resize(self):
        with self.journey("--from", "masked-softmax") as t:
            t.until("lines 1 to 18 of 65", FOOTER)
            t.resize(40, 120)
            t.until("lines 1 to 34 of", "w words", FOOTER)
            self.assertEqual(t.screen.rows()[2], "-" * 120)
            t.resize(10, 30)
            t.until(f"{AT['masked-softmax']}/{N}", "q quit")
            t.resize(24, 80)
            t.until("lines 1 to 18 of 65", FOOTER)

    def test_large_tensors_fold_and_scroll(self):
        with tempfile.TemporaryDirectory() as folder:
            names = ",".join(f"word{i}" for i in range(20))
            with self.journey("--inputs", large(folder), "--tokens", names, "--from", "weights", lines=40) as t:
                t.until("attn_weights  (T=20 queries, T=20 keys)", "word19")
                self.assertNotIn("word3", "\n".join(t.screen.rows()))
                t.send("f")
                t.until("columns 0 to", "word10", "f fold")
                t.send(RIGHT * 3)
                t.until("columns 3 to")
                t.send(LEFT + "\x1b[F")
                t.until("columns 2 to", "word19")

    def test_a_lesson_that_takes_its_time_says_so(self):
        for key, code in [("\x1b", 0), ("\x03", 0), ("q", 0)]:
            with Terminal("learn", "training", "--no-state") as t:
                t.until("Computing the lesson training ... Esc stops it.", "How does a small GPT learn?", "q quit")
                t.send(key)
                self.assertEqual(t.ended(), code)
                self.assertEqual(t.settings("before"), t.settings("after"))

    def test_no_color(self):
        for environment, styled in ({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True):
            with self.journey("--from", "weights", **environment) as t:
                t.until("attn_weights", FOOTER)
                t.send("/softmax\r")
                t.until("Esc end search")
                t.send("q")
                self.assertEqual(re.search(r"\x1b\[[0-9;]*m", t.raw) is not None, styled)
                self.assertEqual("\x1b[48;5;" in t.raw, styled)
                t.ended()

    def test_garbage_and_split_sequences(self):
        with self.journey("--from", "1") as t:
            t.until(f"1/{N}", FOOTER)
            t.send(bytes(b for b in range(128, 256)) * 20 + b"\x1b[" + b"9" * 3000 + b"\x00\xff\x1b]0;x\x07\x1b\x1b\x1bz")
            t.send("G")
            t.until(f"{N}/{N}")
            t.send("\x1b")
            t.send("[")
            t.send("5~g2\r")
            t.until(f"2/{N}", STEPS[1]["id"])
            t.send("/" + "漢字" * 500 + "\x15")
            t.until("never mind")
            t.send("\x1b")
            t.until(FOOTER, without="never mind")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_pause_and_come_back(self):
        with self.journey("--from", "2") as t:
            t.until(f"2/{N}", FOOTER)
            t.send("\x1a")
            self.assertEqual(t.ended(), 148)
            self.assertFalse(t.screen.alternate)
            self.assertEqual(t.settings("after"), t.settings("before"))
            t.screen = Screen(24, 80)
            t.send("\n")
            t.until(f"2/{N}", FOOTER)
            self.assertTrue(t.screen.alternate)
            t.send("n")
            t.until(f"3/{N}")
            t.send("q")
            self.assertEqual(t.ended(), 0)
            self.assertEqual(t.settings("last"), t.settings("before"))


class Lines(unittest.TestCase):
    def step(self, commands, *arguments):
        done = subprocess.run([PROGRAM, "learn", "journey", "--step", *arguments], input=commands, capture_output=True,
                              text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("\x1b", done.stdout)
        return done.stdout

    def ids(self, commands, *arguments):
        return re.findall(r"^--- .*, step (\S+) -", self.step(commands, *arguments), re.M)

    def test_transcript(self):
        names = [s["id"] for s in STEPS]
        self.assertEqual(self.ids(""), names[:1])
        self.assertEqual(self.ids("next\n\n\nback\n\n"), [names[i] for i in (0, 1, 2, 3, 2, 1)])
        self.assertEqual(self.ids("g masked-scores\n\nn\nq\nn\n"),
                         [names[0], "masked-scores", "masked-scores", names[names.index("masked-scores") + 1]])
        self.assertEqual(self.ids("goto 5\nb\nba\n"), [names[0], names[5], names[4], names[3]])  # step 3.1 comes before step 4
        self.assertEqual(self.ids("n"), names[:2])  # the input ends without a newline
        self.assertEqual(self.ids("\r\n  next  \r\n"), names[:3])
        found = [s for s in self.ids("search SOFTMAX\n\n/softmax\n")][1:]
        self.assertEqual(len(found), len(set(found)))
        self.assertEqual(self.ids("n\nn\nn\n", "--from", "2", "--to", "3"), names[1:3])
        self.assertEqual(self.ids("goto 7\n", "--from", "2", "--to", "3"), [names[1], names[7]])

    def test_a_step_reads_as_in_the_whole(self):
        part = learn("--from", "masked-scores", "--to", "masked-scores").out
        self.assertEqual(self.step("", "--from", "masked-scores"), part)

    def test_backward_turns_to_the_gradient_and_back(self):
        self.assertEqual(self.ids("Backward\nB\n", "--from", "causal-weights"),
                         ["causal-weights", "backward-49", "causal-weights"])
        self.assertIn("No gradient passes here.", self.step("B\n"))

    def test_what_is_not_understood(self):
        first = self.step("")
        for command, words in [("foo", "next, back, goto STEP, search TEXT, why TENSOR[i,j], set TENSOR[i,j]=V, "
                                        "edit LINE TEXT, reset, class, words [WORD], link [N], on, return, list, Backward, quit"), ("goto", "number, id or section"),
                               ("goto nowhere", "did you mean"), ("search", "needs a text"), ("/qqq", "No step has 'qqq'."),
                               ("b", "first step"), ("\x1b[2J\x07", "There is no command '?[2J?'"), ("help", "search TEXT")]:
            answer = self.step(command + "\n")[len(first):]
            self.assertIn(words, answer)
            self.assertEqual(answer.count("\n"), 1, answer)
        self.assertIn("This is the last step.", self.step(f"goto {N}\nnext\n"))

    def test_a_reader_that_goes(self):
        done = subprocess.run(f"yes next | '{PROGRAM}' learn journey --step | head -n 2", shell=True, capture_output=True,
                              text=True, timeout=PATIENCE)
        self.assertEqual((len(done.stdout.splitlines()), done.stderr), (2, ""))

    def test_stdin_is_closed(self):
        done = subprocess.run(f"'{PROGRAM}' learn journey --step <&-", shell=True, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"step {STEPS[0]['id']}", done.stdout)

    def test_flags_that_do_not_go_together(self):
        for flags in ["--step", "--outputs"], ["--speak", "--plain"], ["--step", "--format", "json"], ["--speak", "--list"]:
            run = learn(*flags)
            self.assertEqual((run.code, run.out, len(run.err.splitlines())), (2, "", 1), flags)

    def test_signals(self):
        for number in signal.SIGINT, signal.SIGTERM:
            child = subprocess.Popen([PROGRAM, "learn", "journey", "--step"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            child.stdout.readline()
            child.send_signal(number)
            self.assertEqual(child.wait(60), 128 + number)
            child.stdin.close()
            child.stdout.close()

    def test_terminals_without_a_full_screen(self):
        for options, words in [({"TERM": "dumb"}, "cannot place a cursor"), ({"lines": 10, "columns": 40}, "this terminal has 40 x 10"),
                               ({"lines": 0, "columns": 0}, "no known size"), ({"lines": 23}, "80 x 23")]:
            sizes = {k: v for k, v in options.items() if k != "TERM"}
            with self.subTest(options), Terminal("learn", "journey", "--from", "2", **options) as t:
                t.screen = Screen(200, 1000)  # keeps every line
                t.until("q quit:")
                text = t.raw.replace("\r\n", "\n")
                self.assertIn(words, " ".join(text.split()))
                self.assertNotIn("\x1b", text)
                if sizes.get("lines", 24):
                    lines, columns = sizes.get("lines", 24), sizes.get("columns", 80)
                    page = text[text.index("---"):].split("\n")
                    self.assertLessEqual(sum(max(1, -(-len(line) // columns)) for line in page), lines, text)
                t.send("q\n")
                self.assertEqual(t.ended(), 0)

    def test_a_prompt_on_a_terminal(self):
        for flags in ["--step"], ["--speak"]:
            with Terminal("learn", "journey", "--from", "scores-2", *flags, lines=50, columns=100) as t:
                t.until("scores-2", "q quit:")
                t.send("\n")
                t.until("lengths-and-angles")
                t.send("\x04")
                self.assertEqual(t.ended(), 0)
                self.assertNotIn("\x1b", t.raw)


class Speak(unittest.TestCase):
    def test_a_step(self):
        run = learn("--speak", "--from", "masked-softmax", "--to", "masked-softmax")
        self.assertEqual((run.code, run.err), (0, ""))
        lines = run.out.splitlines()
        self.assertEqual(lines[:2], [f"Step {AT['masked-softmax']} of {N} of the lesson journey, section 3.5.1, called masked-softmax.",
                                     "Softmax of the masked scores."])
        for line in ("code: attn_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)",
                     "attn_weights has shape (T=6 queries, T=6 keys).",
                     'query "journey": "Your" 0.5517, "journey" 0.4483, "starts" masked, "with" masked, "one" masked, '
                     '"step" masked, row sum 1.0000'):
            self.assertIn(line, lines)
        self.assertNotRegex(run.out, r"\x1b|--|tensor\(\[")

    def test_everything_is_spoken(self):
        text = learn("--speak").out
        self.assertEqual(re.findall(r", called (\S+)\.$", text, re.M), [s["id"] for s in STEPS])
        for step in STEPS:
            for tensor in step["tensors"]:
                self.assertRegex(text, rf"(?m)^{re.escape(tensor['name'])} (has shape|is) ")

    def test_large_ones_fold(self):
        with tempfile.TemporaryDirectory() as folder:
            text = learn("--speak", "--inputs", large(folder, 12), "--from", "weights", "--to", "weights").out
        self.assertIn("and 6 more rows\n", text)
        self.assertIn(", and 6 more, ", text)
        self.assertEqual(len(re.findall(r'^query "', text, re.M)), 6)

    def test_step_by_step(self):
        done = subprocess.run([PROGRAM, "learn", "cat", "--step", "--speak"], input="n\n", capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(re.findall(r"^Step \d+ of", done.stdout, re.M)), 2)


class Progress(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = Path(self.folder.name) / "glassgrad" / "progress.json"

    def stop_at(self, step, *arguments, key="q", code=0):
        with Terminal("learn", "journey", *arguments, state=self.folder.name) as t:
            t.until(f"/{N}", FOOTER)
            t.send(f"g{step}\r")
            t.until(f"#{step}", FOOTER)
            t.send(key)
            self.assertEqual(t.ended(), code)

    def test_it_goes_on_where_one_stopped(self):
        for key, code in ("q", 0), ("\x03", 130):
            self.stop_at("masked-scores", key=key, code=code)
            kept = json.loads(self.file.read_text())
            self.assertEqual((kept["last"], kept["lessons"]["journey"]["step"]), ("journey", "masked-scores"))
            self.assertEqual(kept["lessons"]["journey"]["seen"], sorted([STEPS[0]["id"], "masked-scores"]))
            with Terminal("learn", "journey", state=self.folder.name) as t:
                t.until("masked-scores", "g 1 goes to the first step")
            self.file.unlink()
        self.stop_at("masked-scores")
        with Terminal("learn", "journey", "--from", "2", state=self.folder.name) as t:
            t.until(f"2/{N}")
        with Terminal("learn", "journey", "--no-state", state=self.folder.name) as t:
            t.until(f" 1/{N}")

    def test_the_list_offers_to_go_on(self):
        self.stop_at("masked-scores")
        for answer, words, keys, code in [("", [f"{AT['masked-scores']}/{N}", "masked-scores"], "q\n", 0), ("q", ["[ended 0]"], "", 0),
                                          ("cta", ["did you mean cat"], "", 2), ("cat", [" cat 1/"], "q\n", 0)]:
            with self.subTest(answer), Terminal("learn", state=self.folder.name, lines=20) as t:
                t.until("Enter goes on with journey, a name opens it, q quits:")
                t.send(answer + "\n")
                t.until(*words)
                t.send(keys)
                self.assertEqual(t.ended(), code)

    def test_pipes_leave_it_alone(self):
        self.stop_at("masked-scores")
        before = self.file.read_text()
        run = glassgrad("learn", env={**os.environ, "XDG_STATE_HOME": self.folder.name})
        self.assertIn(f"Next: journey, step {AT['masked-scores']} of {N}: glassgrad learn journey", run.out)
        done = subprocess.run([PROGRAM, "learn", "journey", "--step"], input="n\n", capture_output=True, text=True,
                              env={**os.environ, "XDG_STATE_HOME": self.folder.name})
        self.assertIn(f" 1/{N}", done.stdout)
        self.assertEqual(self.file.read_text(), before)

    def test_a_file_that_is_damaged(self):
        self.file.parent.mkdir()
        aside = set()
        for text in b"", b"{", b"[1]", b"\xff\xfe", b'{"last": 3, "lessons": {"journey": []}}', b"[" * 100000, \
                b'{"last": "nothing", "lessons": {"journey": "no-such-step"}}':
            self.file.write_bytes(text)
            with self.subTest(text[:20]), Terminal("learn", "journey", state=self.folder.name) as t:
                t.until(f" 1/{N}", FOOTER)
                t.send("q")
                self.assertEqual(t.ended(), 0)
            self.assertEqual(json.loads(self.file.read_text())["lessons"]["journey"]["step"], STEPS[0]["id"])
            aside.update(path.read_bytes() for path in self.file.parent.glob("progress.json.damaged*"))
        self.assertEqual(aside, {b"{", b"[1]", b"\xff\xfe", b'{"last": 3, "lessons": {"journey": []}}', b"[" * 100000})

    def test_a_folder_that_cannot_be_written(self):
        self.file.parent.write_text("in the way")
        with Terminal("learn", "journey", state=self.folder.name) as t:
            t.until(f" 1/{N}", FOOTER)
            t.send("q")
            self.assertEqual(t.ended(), 0)
            self.assertIn("Your place is not remembered", "\n".join(t.screen.rows()))

    def test_the_line_mode_remembers_too(self):
        with Terminal("learn", "journey", "--step", state=self.folder.name, lines=60) as t:
            t.until("q quit:")
            t.send("goto masked-scores\n")
            t.until("docs/journey.md#masked-scores", "q quit:")
            t.send("\x03")
            self.assertEqual(t.ended(), 130)
        self.assertEqual(json.loads(self.file.read_text())["lessons"]["journey"]["step"], "masked-scores")


if __name__ == "__main__":
    unittest.main()
