#!/usr/bin/env python3
"""The first ten minutes: what the pages say, the keys, what is remembered, and how the terminal is left."""
import math
import os
import re
import signal
import subprocess
import tempfile
import unittest

from program import PATIENCE, PROGRAM, glassgrad
from terminal import Terminal

PAGES = ["guess", "untrained", "training", "head", "without-head", "dot-product", "softmax", "weighted-sum", "mask",
         "your-guess", "learned", "onward"]
SHORT = ["--steps", "5"]
OPENS = "without-head", "dot-product", "softmax", "weighted-sum", "mask"
NUMBER = r"-?\d+\.\d+"


def piped(*arguments, stdin=""):
    done = subprocess.run([PROGRAM, "start", *arguments], input=stdin, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def pages(text):
    """The text of each page by its name."""
    parts = re.split(r"^(\d+) of 12: .*\n", text, flags=re.M)[1:]
    return {PAGES[int(n) - 1]: body for n, body in zip(parts[::2], parts[1::2])}


def rows(text):
    """The numbers of each row of a table: (name, numbers)."""
    return [(name, [float(x) for x in re.findall(NUMBER, rest)])
            for name, rest in re.findall(rf"^   (\S[^\d\n]*?) +((?:{NUMBER}[ ▏▎▍▌▋▊▉█]*)+)$", text, re.M)]


class Plain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        short = SHORT if os.environ.get("SANITIZERS") else []
        cls.trained = bool(not short)
        cls.text = piped(*short, stdin="4\n")
        cls.pages = pages(cls.text)

    def test_all_pages_fit(self):
        self.assertEqual(list(self.pages), PAGES)
        for name, text in self.pages.items():
            for screen in re.split(r"^The .*, opened\n", text, flags=re.M):
                lines = screen.strip("\n").split("\n")
                self.assertLessEqual(len(lines), 18, screen)
                self.assertLessEqual(max(map(len, lines)), 79, screen)
            self.assertEqual(text.count(", opened\n"), name in OPENS, name)

    def test_it_learns_storms(self):
        if not self.trained:
            self.skipTest("a short training")
        self.assertIn("it writes: cats climb trees during storms\n", self.pages["training"])
        self.assertIn('The probability of "storms" falls from', self.pages["without-head"])
        self.assertIn('You guessed "storms".', self.pages["your-guess"])
        wrong, right = map(int, re.search(r"18 sentences were kept out .* It had (\d+) of their last words right, and has (\d+) now",
                                          " ".join(self.pages["training"].split())).groups())
        self.assertLess(wrong, 6)
        self.assertGreater(right, 16)
        told = " ".join(self.pages["your-guess"].split())
        self.assertIn('None of the 1000 sentences made for it begins with "cats climb". Those with "cats" end with floods or '
                      'storms, those with "climb" with holidays or storms or winters. Only "storms" fits both.', told)

    def test_both_heads_are_shown(self):
        told = " ".join(self.pages["head"].split())
        first, second = re.search(r"without (head \d of layer \d); (head \d of layer \d) looks most at ", told).groups()
        self.assertNotEqual(first, second)
        most, weight, other, weight_2 = re.search(rf'the first gives "(\w+)" ({NUMBER}), the second "(\w+)" ({NUMBER})\.',
                                                  told).groups()
        self.assertEqual(other, "cats" if most == "climb" else "climb")
        for name in "dot-product", "softmax", "weighted-sum", "mask":
            page = " ".join(self.pages[name].split())
            self.assertIn(first, page)
            self.assertIn(second, page)
        self.assertIn("two of its 8 heads", " ".join(self.pages["onward"].split()))
        if self.trained:
            self.assertEqual(most, "cats")
            self.assertGreater(min(float(weight), float(weight_2)), 0.9)
            self.assertRegex(" ".join(self.pages["without-head"].split()),
                             r'[1-9] of the heads are on "cats", [1-9] on "climb": without these it is 0\.[0-8]\d+, and 0\.[0-8].*'
                             r'Without those on "cats", "\w+" is likeliest: it ends sentences with "climb", none with "cats"')

    def test_the_arithmetic_holds(self):
        score = self.pages["dot-product"]
        products = re.findall(rf"({NUMBER}) x +({NUMBER}) = +({NUMBER})", score)
        self.assertEqual(len(products), 16)
        total = float(re.search(rf"add up to ({NUMBER})", score)[1])
        self.assertAlmostEqual(sum(float(a) * float(b) for a, b, _ in products), total, delta=0.01)
        for columns in (0, 1), (2, 3):
            table = rows(self.pages["softmax"].split("opened")[0])
            scores, weights = ([numbers[c] for _, numbers in table] for c in columns)
            self.assertEqual(len(scores), 4)
            for s, w in zip(scores, weights):
                self.assertAlmostEqual(math.exp(s) / sum(map(math.exp, scores)), w, delta=2e-4)
        sums = [numbers for name, numbers in rows(self.pages["weighted-sum"]) if name.endswith(" sum")]
        values = [numbers for name, numbers in rows(self.pages["weighted-sum"]) if name.startswith("value, ")]
        for k, mixed in enumerate(sums):
            for i, x in enumerate(mixed):
                self.assertAlmostEqual(sum(v[0] * v[1 + i] for v in values[4 * k:4 * k + 4]), x, delta=2e-3)

    def test_sentences_hold_for_a_model_that_has_learned_little(self):
        for steps in "60", "200":
            text = pages(piped("--steps", steps, "--from", "head"))
            whole = {name: " ".join(page.split()) for name, page in text.items()}
            self.assertIn("You made no guess this time.", whole["your-guess"])
            change = [float(x) for x in re.findall(rf"[+-]\d\.\d+", text["head"])]
            layer, head = divmod(change.index(min(change)), 4)
            self.assertEqual(len(change), 8)
            self.assertLess(min(change), -1e-4)
            self.assertIn(f"falls most without head {head} of layer {layer}", whole["head"])
            answer, before, after = re.search(
                rf'The probability of "(.*?)" falls from ({NUMBER}) to ({NUMBER})', whole["without-head"]).groups()
            self.assertAlmostEqual(float(after) - float(before), min(change), delta=2e-4)
            self.assertIn(f'The trained model says "{answer}"', whole["your-guess"])

    def test_the_numbers_do_not_depend_on_threads(self):
        one, two = (piped("--steps", "20", "--threads", n) for n in "12")
        self.assertEqual(one, two)

    def test_to_listen_to(self):
        text = piped("--speak", *SHORT, stdin="storms")
        self.assertEqual(list(pages(text.replace(".\n", "\n"))), PAGES)
        self.assertNotRegex(text, "[█▁▏▒│]|  ")
        self.assertIn('You guessed "storms".', text)
        self.assertRegex(text, r"\nclimb: head \d of layer \d, masked cats [\d.]+, climb [\d.]+, trees hidden, during hidden, head")

    def test_a_pipe_that_stays_open_and_empty(self):
        read, write = os.pipe()
        done = subprocess.run([PROGRAM, "start", *SHORT], stdin=read, capture_output=True, timeout=PATIENCE)
        os.close(read), os.close(write)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"You made no guess this time.", done.stdout)

    def test_what_is_not_understood(self):
        for wrong in ["--from", "13"], ["--from", "sofmax"], ["--steps", "0"]:
            done = glassgrad("start", *wrong)
            self.assertEqual((done.code, done.out), (2, ""), wrong)
        self.assertIn("did you mean softmax?", glassgrad("start", "--from", "sofmax").err)

    def test_without_a_terminal_the_help_asks_nothing(self):
        done = glassgrad()
        self.assertNotIn("Press Enter", done.out)
        self.assertEqual(done.code, 0)


class FullScreen(unittest.TestCase):
    def start(self, *arguments, **options):
        return Terminal("start", *(arguments or SHORT), **options)

    def test_all_pages_by_keys(self):
        with self.start() as t:
            t.until("1/12", "6  winters", "q quit")
            keys, seen = ["4"] + ["\r"] * 10, ["guess"]
            for key in keys:
                t.send(key)
                seen.append(PAGES[len(seen)])
                shown = t.until(f"{len(seen)}/12  {seen[-1]} ", "b back", without="s stop")
                if "Enter down" in shown:  # the page is longer than the screen
                    shown += t.after(" ")
                if seen[-1] in OPENS:
                    self.assertIn(", opened", t.after("i"))
                    self.assertNotIn(", opened", t.after("i"))
                else:
                    self.assertNotIn("i opens", shown)
                if seen[-1] == "your-guess":
                    self.assertIn('You guessed "storms".', shown)
            self.assertLessEqual(seen.index("dot-product"), 5)  # keys to the first dot product …
            self.assertLessEqual(seen.index("softmax"), 10)  # … and to the first softmax
            self.assertIn("11/12", t.after("b"))
            self.assertIn("Enter goes on to journey", (t.after("\r"), t.after("n"))[1])
            self.assertIn("'x' means nothing here; ? shows the keys", t.after("x"))
            shown = t.after("?")
            for words in "choose what has this number", "page before", "while it trains: stop", "any other key back to the page":
                self.assertIn(words, shown)
            self.assertIn("12/12  onward", t.after("x"))
            t.send("1")
            t.until("journey  1/", "A sentence as numbers")
            t.send("\x7f")
            t.until("12/12  onward")
            t.send("\r")
            t.until("journey  1/")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_it_ends_in_the_lesson_on_its_model(self):
        with tempfile.TemporaryDirectory() as state:
            with self.start("--from", "onward", *SHORT, state=state) as t:
                number = re.search(r"(\d)  See what every part of this GPT computes", t.until("12/12", "of your own"))[1]
                t.send(number)
                t.until(" gpt  1/24", "the model's word tokenizer")
                t.send("G")
                t.until("24/24")
                t.send("q")
                self.assertEqual(t.ended(), 0)
            model = os.path.join(state, "glassgrad", "start.safetensors")
            self.assertIn("5 steps of training", " ".join(glassgrad("learn", "gpt", "--model", model, encoding="utf-8").out.split()))
        with self.start("--from", "onward", "--no-state", *SHORT) as t:
            t.until("12/12", "See what every part of a GPT computes")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_a_text_of_ones_own(self):
        with self.start("--from", "onward", *SHORT) as t:
            shown = t.until("12/12", "of your own")
            number = re.search(r"(\d)  Train on a text of your own", shown)[1]
            t.send(number)
            t.until("File:")
            t.send("/no/such/file\r")
            t.until("/no/such/file: cannot be opened: No such file or directory. File:", "12/12")
            t.send("/\r")
            t.until("/: is a directory", "File:", "12/12")
            t.send("\x1b")
            t.until("q quit")
            t.send("q")
            self.assertEqual(t.ended(), 0)
        with self.start("--from", "onward", *SHORT, TERM="dumb") as t:
            t.until("q quit:")
            t.send(f"{number}\n")
            t.until("File:")
            t.send("/no/such/file\n")
            t.until("No such file or directory. File:")
            t.send("\n")
            t.until("q quit:")
            t.send("q\n")
            self.assertEqual(t.ended(), 0)

    def test_it_goes_on_where_one_stopped(self):
        with tempfile.TemporaryDirectory() as state:
            with self.start("--from", "softmax", *SHORT, state=state) as t:
                t.until("7/12  softmax", "e^x grows fast")
                t.send("q")
                t.until("glassgrad start goes on here.", "[ended 0]")
            with self.start(state=state) as t:
                t.until("7/12  softmax", "e^x grows fast")
                t.send("\x04")
                self.assertEqual(t.ended(), 0)
            with self.start("--no-state", *SHORT, state=state) as t:
                t.until("1/12  guess")
                t.send("q")
                self.assertEqual(t.ended(), 0)

    def test_the_guess_is_kept(self):
        with tempfile.TemporaryDirectory() as state:
            with self.start(state=state) as t:
                t.until("1/12  guess")
                t.send("2")
                t.until("2/12  untrained", "Your guess is harvests; we come back to it")
                t.send("q")
                t.until("glassgrad start goes on here.", "[ended 0]")
            for lines in 24, 20:  # the full screen, and a terminal that is too small for one
                with self.start("--from", "your-guess", *SHORT, state=state, lines=lines) as t:
                    t.until("q quit:" if lines == 20 else 'You guessed "harvests".')
                    self.assertIn('You guessed "harvests".', t.raw)
                    t.send("q\n" if lines == 20 else "q")
                    self.assertEqual(t.ended(), 0)
            with self.start("--from", "your-guess", "--no-state", *SHORT, state=state) as t:
                t.until("You made no guess this time.")
                t.send("q")
                self.assertEqual(t.ended(), 0)

    def test_training_is_stopped(self):
        with self.start("--steps", "100000") as t:
            t.until("1/12")
            self.assertIn("2/12", t.after("\r"))
            t.send("\r")
            t.until("3/12  training", "step", "of 100000", "it writes:", "s stop")
            t.send("\r")
            t.until("goes on by itself")
            t.send("s")
            t.until("Trained", "b back", without="s stop")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_the_terminal_is_as_before(self):
        for ends, code in (("\x03", 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), ("q", 0)):
            with self.start("--steps", "100000", "--from", "training") as t:
                t.until("of 100000", "it writes:")
                t.send(ends) if isinstance(ends, str) else t.signal(ends)
                self.assertEqual(t.ended(), code)
                self.assertEqual(t.settings("before"), t.settings("after"))
                self.assertFalse(t.screen.alternate)
                self.assertTrue(t.screen.cursor)

    def test_a_signal_ends_the_training_of_line_mode(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            with self.start("--steps", "100000", "--from", "training", TERM="dumb") as t:
                t.until("Training now")
                t.signal(number)
                self.assertEqual(t.ended(), 128 + number)

    def test_resize(self):
        with self.start("--steps", "100000", "--from", "training") as t:
            t.until("of 100000")
            t.resize(10, 40)
            t.until("3/12  training", "more:", "q quit")
            t.resize(30, 100)
            t.until("of 100000", "step 1 ")
            self.assertEqual(t.screen.rows()[-3], "-" * 100)
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_no_color(self):
        with self.start("--from", "head", *SHORT, NO_COLOR="1") as t:
            t.until("4/12  head", "untrained")
            self.assertNotIn("m", "".join(re.findall(r"\x1b\[[\d;]*([a-zA-Z])", t.raw)))
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_terminals_without_a_full_screen(self):
        for options in {"TERM": "dumb"}, {"lines": 20}, {"columns": 60}:
            with self.start(**options) as t:
                t.until("q quit:")
                t.send("storms\n")
                t.until("  winters  ", "q quit:", without="6  winters")
                t.send("nonsense\n")
                t.until("means nothing here.")
                t.send("\n" * 5)
                t.until("e^x grows fast", "i opens the weight from during")
                t.send("i\n")
                t.until("The sum of e^score is")
                t.send("\x04")
                self.assertEqual(t.ended(), 0)
                self.assertNotIn("\x1b[", t.raw.replace("\x1b[?2004", ""))


if __name__ == "__main__":
    unittest.main()
