#!/usr/bin/env python3
"""The path: every last screen leads on, links and addresses lead across lessons, and one key leads back."""
import json
import os
import re
import tempfile
import unittest
from pathlib import Path

from program import ROOT, glassgrad, learn, one_in
from terminal import Terminal

BACK, ESCAPE = "\x7f", "\x1b"
LESSONS = sorted(path.stem for path in (ROOT / "apps" / "lessons").glob("*.md"))
HEADER = {path: path.read_text().split("```")[1] for path in (ROOT / "apps").glob("*s/*.md")}


def in_group(group):
    """The names of its lessons and courses, in their places."""
    named = {}
    for path, header in HEADER.items():
        if place := re.search(rf"^group: {group} (\d+)$", header, re.M):
            named[int(place[1])] = ("build " if path.parent.name == "exercises" else "") + path.stem
    return [named[place] for place in sorted(named)]


PATH = ["start", *in_group("path")]


def places(lesson):
    """{step: its place, "24" or "24.1"}."""
    listed = re.findall(r"^ *([\d.]+) +(\S+)  ", glassgrad("learn", lesson, "--list").out, re.M)
    return {step: place for place, step in listed}


def last_step(lesson):
    return [*places(lesson)][-1]


class Walk(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = folder.name
        Path(self.state, "glassgrad", "build").mkdir(parents=True)
        self.file = Path(self.state, "glassgrad", "progress.json")

    def keep(self, **progress):
        self.file.write_text(json.dumps(progress))

    def solve(self, course):
        """Puts the right lines of a course into the learner's file."""
        answers = f"# glassgrad build {course}\n"
        text = (ROOT / "apps" / "exercises" / f"{course}.md").read_text()
        for name, step in re.findall(r"\n##+ .*?\{#([a-z0-9.-]+)\}\n(.*?)(?=\n##+ |\Z)", text, re.S):
            lines = step.splitlines()
            if blank := [k for k, line in enumerate(lines) if "  #: blank" in line]:
                right = (re.sub("  #: blank.*", "", line) for line in lines[blank[0]:blank[-1] + 1])
                answers += f"\n# == {name}: solved [solved]\n" + "\n".join(right) + "\n"
        Path(self.state, "glassgrad", "build", f"{course}.py").write_text(answers)

    def at_the_end(self, t, name):
        """Goes to the last screen of what is open; what that shows."""
        if name == "start":
            return t.until("12/12  onward", "Enter goes on to journey", "Enter on")
        if name.startswith("build "):
            shown = t.until(f" {name.split()[1]}  1/", " solved [", "q quit")
            for _ in range(20):
                if re.search(r"Enter (goes on to|goes back|opens)", shown):
                    return shown
                t.after("n")
                shown = t.after("\x1b[F")
            raise AssertionError(shown)
        t.until(f" {name}  ", "q quit")
        t.send("G")
        t.until(f"#{last_step(name)}", "q quit")
        return t.after("\x1b[F")

    def test_the_whole_path_by_keys(self):
        for name in PATH:
            if name.startswith("build "):
                self.solve(name.split()[1])
        with Terminal("start", "--from", "onward", "--steps", "5", state=self.state) as t:
            for name, after in zip(PATH, [*PATH[1:], None]):
                shown = self.at_the_end(t, name)
                self.assertIn("Enter on", shown)
                joined = " ".join(shown.split())
                self.assertIn(f"[{name}", joined)  # the bar and the position in it
                if after is None:
                    self.assertIn("Enter goes back to", joined)
                    break
                self.assertIn(f"Enter goes on to {after}:", joined)
                t.send("\r")
            for name in reversed(PATH[:-1]):
                t.send(BACK)
                course = name.startswith("build ")
                t.until("12/12  onward" if name == "start" else f" {name.split()[-1]}  ", " solved [" if course else "q quit",
                        without=None if course else " solved [")
            t.send("q")
            self.assertEqual(t.ended(), 0)
        kept = json.loads(self.file.read_text())
        self.assertEqual(kept["path"], "start")
        self.assertTrue(all(kept["lessons"][name.replace(" ", ".")]["done"] for name in PATH))
        listed = glassgrad("learn", env={**os.environ, "XDG_STATE_HOME": self.state}).out
        for name in PATH:
            self.assertRegex(listed, rf"(?m)^. {name} .* ✓ ")

    def test_the_program_alone_goes_on_where_one_stopped(self):
        for progress, words in [({}, ["1/12  guess"]), ({"last": "journey", "lessons": {"journey": {"step": "scores-2", "seen": ["scores-2"]}}},
                                                        [" journey  ", "scores-2"]),
                                ({"path": "journey", "last": "cat", "lessons": {"journey": {"step": "inputs", "done": True}}}, [" attention  1/"])]:
            self.keep(**progress)
            with self.subTest(progress), Terminal(state=self.state) as t:
                t.until(*words, "q quit")
                t.send("q")
                self.assertEqual(t.ended(), 0)
        help = glassgrad("--help")
        self.assertEqual(glassgrad().out, help.out)
        self.assertLess(help.out.count("\n"), 24)
        self.assertEqual(re.findall(r"^  ([a-z]+)  ", help.out, re.M), ["start", "learn", "build", "train", "generate", "inspect"])
        self.assertIn("start › journey › build attention", help.out)
        self.assertIn("\n  gradcheck ", glassgrad("--help-all").out)

    def test_the_list(self):
        self.keep(path="journey", lessons={"journey": {"step": "inputs", "seen": ["inputs"]}})
        with Terminal("learn", state=self.state) as t:
            shown = t.until("The path", "> journey", "Enter open", "q quit")
            self.assertIn("path 0 of", shown)
            self.assertIn("> build attention", t.after("j"))
            below = int(re.search(r"more: (\d+) below, Space", shown)[1])
            for key in " ", "\x1b[6~":  # the selection follows the next screen
                shown = t.after(key)
                self.assertRegex(shown, r"(?m)^> ")
            self.assertLess(below, 40)
            self.assertNotIn("> build attention", shown)
            self.assertIn("Reference", t.after(" "))
            self.assertIn("> start", t.after("\x1b[H"))
            t.send("G")
            t.until("> lab", "Reference")
            t.send("k\r")
            t.until(" errata  1/", "Backspace goes back to the list.")
            shown = t.after("G")
            self.assertIn("Enter goes back to the list.", t.after("\x1b[F"))
            t.send("\r")
            t.until("> errata", "Enter open")
            t.send("q")
            self.assertEqual(t.ended(), 0)
        with Terminal("learn", state=self.state, TERM="dumb", lines=60) as t:
            t.until("The path", "Enter goes on with journey")
            t.send("build gpt\n")
            t.until("1 of 12", "your line>")
            t.send("return\n")
            t.until("Enter goes on with")
            t.send("q\n")
            self.assertEqual(t.ended(), 0)

    def test_addresses_and_the_way_back(self):
        with Terminal("learn", "journey", "--from", "masked-scores", "--seed", "5", state=self.state) as t:
            t.until(" masked-scores", "q quit")
            for typed, words in [("rnn.why#fixed-size-state", [" rnn.why  1/"]), ("heads.same", [" heads.same  1/"]),
                                 ("journey#inputs", [" journey  1/", "  inputs"]), ("gpt#tokens", [" gpt  1/"])]:
                t.send(f"g{typed}\r")
                t.until(*words, "q quit", "Backspace goes back to")
            for words in "journey  1/", "heads.same  1/", "rnn.why  1/", "  masked-scores":
                t.send(BACK)
                t.until(words, "q quit", without="Computing")
            self.assertIn("You came from nowhere else.", t.after(BACK))
            t.send("gbuild attention\r")
            t.until(" attention  1/13", "q quit")
            t.send(BACK)
            t.until(" masked-scores", "q quit")
            t.send("]")
            t.until(" attention  1/13", "q quit")
            t.send("[")
            t.until(" masked-scores", "q quit")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_line_by_line(self):
        with Terminal("learn", "journey", "--step", "--from", "inputs", state=self.state, lines=70) as t:
            t.until("q quit:")
            t.send("goto rnn.why#fixed-size-state\n")
            t.until("step fixed-size-state", "q quit:")
            t.send("return\n")
            t.until("step inputs", "q quit:")
            t.send("]\n")
            t.until("your line>")
            t.send("return\n")
            t.until("step inputs", "q quit:")
            t.send("G\nq\n")
            t.ended()
        with Terminal("learn", "autograd.order", "--step", "--no-state", "--from", last_step("autograd.order"), lines=70) as t:
            t.until("Enter opens the list of lessons, b back")
            t.send("\n")
            t.until("Enter goes on with start", "q quits:")
            t.send("q\n")
            self.assertEqual(t.ended(), 0)


class Links(unittest.TestCase):
    @staticmethod
    def either(t, *words):
        """Reads until one of the words is on the screen; its text."""
        while not any(word in "\n".join(t.screen.rows()) for word in words):
            t.read()
        return "\n".join(t.screen.rows())

    def test_every_link_leads_somewhere(self):
        """By keys: o lights a link, Enter follows it, Backspace comes back."""
        followed = 0
        for lesson in LESSONS[::one_in(5)]:  # tests/web/site.test.mjs follows every link
            steps = json.loads(learn("--format", "json", lesson=lesson).out)["steps"]
            text = (ROOT / "apps" / "lessons" / f"{lesson}.md").read_text()
            place = places(lesson)
            with Terminal("learn", lesson, "--no-state", lines=60, columns=100) as t:
                t.until(f" {lesson}  1/", "q quit")
                for step in steps:
                    if f"{{#{step['id']}" not in text:
                        continue
                    t.send(f"g{step['id']}\r")
                    t.until(f" {lesson}  {place[step['id']]}/", f"#{step['id']}", "q quit")
                    t.send("o")
                    shown = self.either(t, "link 1 of", "has no link")
                    if "has no link" in shown:
                        continue
                    t.send(ESCAPE)
                    t.until(f"#{step['id']}", "q quit", without="link 1 of")
                    for k in range(int(re.search(r"link 1 of (\d+)", shown)[1])):
                        t.send("o" * (k + 1))
                        target = re.search(r"link \d+ of \d+: (\S+)", t.until(f"link {k + 1} of"))[1]
                        name = target.partition("#")[0].removesuffix(".md") or lesson
                        with self.subTest(lesson=lesson, step=step["id"], link=target):
                            t.send("\r")
                            t.until(f" {name}  ", f"Backspace goes back to {lesson}#", without="Computing")
                            t.send(BACK)
                            t.until(f" {lesson}  {place[step['id']]}/", without="Computing")
                            followed += 1
        self.assertGreater(followed, 10)
        print(f"path: {followed} links followed and come back from")


if __name__ == "__main__":
    unittest.main()
