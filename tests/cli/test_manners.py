#!/usr/bin/env python3
"""Words that are no commands, help, completion, the man page, and what words mean."""
import re
import shlex
import shutil
import subprocess
import unittest

from program import PROGRAM, SANITIZED, glassgrad, learn
from terminal import Terminal

COMMANDS = re.findall(r"^  ([a-z]+) ", glassgrad("--help-all").out, re.M)


class Elsewhere(unittest.TestCase):
    def led(self, *words):
        run = glassgrad(*words)
        self.assertEqual((run.code, run.out), (2, ""), words)
        self.assertLessEqual(run.err.count("\n"), 8, words)
        self.assertTrue(all(len(line) <= 80 for line in run.err.splitlines()[1:]), run.err)
        return run.err

    def test_words_lead_to_the_right_place(self):
        for words, places in {("softmax",): ["learn journey --from softmax-", "learn autograd.softmax ", "docs glossary#softmax"],
                              ("attention", "weights"): [" --from ", "docs glossary#attention-weight"],
                              ("attention",): ["build attention "], ("journey",): ["glassgrad learn journey "],
                              ("help", "softmax"): ["docs glossary#softmax"], ("learn", "softmax"): ["learn autograd.softmax "],
                              ("why", "mask"): ["learn mask.five-ways "], ("docs", "keys"): ["docs glossary#key "],
                              ("jorney",): ["did you mean journey?", "glassgrad learn journey "],
                              ("lern",): ["did you mean learn?"], ("trian", "x"): ["did you mean train?"],
                              ("learn", "jorney"): ["did you mean journey?"], ("--verison", "softmax"): ["did you mean --version?"]}.items():
            told = self.led(*words)
            for place in places:
                self.assertIn(place, told)

    def test_every_place_is_one(self):
        places = [line.split("  ")[1] for word in ("softmax", "mask", "gradient", "heads")
                  for line in self.led(word).splitlines()[1:]]
        self.assertGreater(len(places), 8)
        for place in places[::6 if SANITIZED else 1]:
            command = shlex.split(place)[1:]
            if command[0] == "learn":
                command += ["--list"]
            self.assertEqual(glassgrad(*command).code, 0, place)

    def test_what_is_typed_moves_no_cursor(self):
        run = glassgrad("\x1b[2Jsoftmax")
        self.assertEqual(run.code, 2)
        self.assertNotIn("\x1b", run.err)


class Help(unittest.TestCase):
    def test_help_is_a_command_too(self):
        self.assertEqual(glassgrad("help").out, glassgrad("--help").out)
        self.assertEqual(glassgrad("help", "learn").out, glassgrad("learn", "--help").out)
        self.assertEqual(glassgrad("help", "learn", "cat").out, glassgrad("learn", "cat", "--help").out)

    def test_each_begins_with_an_example_and_fits(self):
        for words in [[], *([c] for c in COMMANDS), ["learn", "journey"], ["learn", "lab"], ["why", "cat"]]:
            run = glassgrad(*words, "--help")
            self.assertEqual((run.code, run.err), (0, ""))
            self.assertTrue(run.out.startswith(" ".join(["Example: glassgrad", *words[:1]])), words)
            self.assertLessEqual(run.out.count("\n"), 68, words)
            self.assertLessEqual(max(map(len, run.out.splitlines())), 80, words)
            run = subprocess.run(f"{shlex.quote(PROGRAM)} {' '.join(words)} --help | head -1; exit ${{PIPESTATUS[0]}}", shell=True,
                                 executable="/bin/bash", capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stdout.count("\n"), run.stderr), (0, 1, ""), words)

    def test_of_a_lesson(self):
        text = glassgrad("learn", "journey", "--help").out
        for words in "\nSettings of journey:\n", "  --seed N", "  --inputs FILE", "  Tab  ", "  w   ", "Usage: glassgrad learn journey":
            self.assertIn(words, text)
        self.assertNotIn("--outputs", text)


class Completion(unittest.TestCase):
    def completed(self, line):
        """What bash offers in place of the last word of the line."""
        words = shlex.split(line + "''" if line.endswith(" ") else line)
        words = [part for word in words for part in re.split("(=)", word) if part] + [""] * line.endswith((" ", "="))
        script = f"eval \"$({shlex.quote(PROGRAM)} help --format bash)\"; COMP_WORDS=({shlex.join([PROGRAM, *words[1:]])}); " \
                 f"COMP_CWORD={len(words) - 1}; _glassgrad; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        run = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, cwd=PROGRAM.rpartition("/")[0])
        self.assertEqual((run.returncode, run.stderr), (0, ""), line)
        return run.stdout.split()

    def test_bash(self):
        self.assertEqual(self.completed("glassgrad tr"), ["train"])
        self.assertEqual(sorted(self.completed("glassgrad ")), sorted(COMMANDS))
        self.assertIn("--version", self.completed("glassgrad --"))
        self.assertEqual(self.completed("glassgrad learn jour"), ["journey"])
        self.assertEqual(self.completed("glassgrad learn journey --from masked-so"), ["masked-softmax"])
        self.assertEqual(self.completed("glassgrad learn journey --from=masked-so"), ["masked-softmax"])
        self.assertEqual(self.completed("glassgrad learn --to masked-so"), [])
        self.assertEqual(self.completed("glassgrad learn journey --see"), ["--seed", "--seed-v2"])
        self.assertEqual(self.completed("glassgrad learn --see"), [])
        self.assertEqual(self.completed("glassgrad learn journey --format p"), ["python"])
        self.assertEqual(self.completed("glassgrad learn --bug s"), re.findall(r"^(s\S*) ", glassgrad("learn", "--bug", "list").out, re.M))
        self.assertEqual(self.completed("glassgrad train --device c"), ["cpu", "cuda"])
        self.assertEqual(self.completed("glassgrad build attention --from dot"), ["dot"])
        self.assertEqual(self.completed("glassgrad docs glossary#soft"), ["glossary#softmax"])
        self.assertEqual(self.completed("glassgrad help gene"), ["generate"])
        self.assertIn("glassgrad", self.completed("glassgrad train --text g"))  # a file
        self.assertEqual(self.completed("glassgrad nothing "), [])

    @unittest.skipUnless(shutil.which("zsh"), "zsh cannot be found")
    def test_zsh(self):
        script = glassgrad("help", "--format", "zsh").out
        self.assertTrue(script.startswith("#compdef glassgrad\n"))
        stubs = "_describe() { print -l -- ${(P)2} }; _files() { print files };"
        for words, offered in {("learn", "jour"): "journey:Your journey starts", ("verify", ""): "files"}.items():
            run = subprocess.run(["zsh", "-fc", f"{stubs} f() {{ {script}\n}}; words=({shlex.join([PROGRAM, *words])}); CURRENT=3; f"],
                                 capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn(offered, run.stdout)

    def test_the_man_page(self):
        page = glassgrad("help", "--format", "man").out
        for command in COMMANDS:
            self.assertIn(f"\n.SS glassgrad {command}", page)
            for flag in re.findall(r"^  (--[a-z-]+)", glassgrad(command, "--help").out, re.M):
                self.assertIn(flag.replace("-", r"\-"), page)
        if shutil.which("groff"):
            run = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou"], input=page, capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            for words in "GLASSGRAD(1)", "glassgrad learn [LESSON]", "Example: glassgrad learn", "EXIT STATUS", "GLASSGRAD_THREADS":
                self.assertIn(words, run.stdout)


class Words(unittest.TestCase):
    def test_a_key_explains_the_words_of_a_step(self):
        with Terminal("learn", "journey", "--from", "masked-softmax", "--no-state") as t:
            t.until("q quit")
            t.send("w")
            t.until("[Softmax]", "glassgrad docs glossary#softmax", "any other key back to the lesson")
            t.send("w")
            t.until("[Scale, scaling]", "glassgrad docs glossary#scale-scaling")
            t.send("\x1b[D")
            t.until("[Softmax]")
            t.send("x")
            t.until("q quit")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_a_command_explains_them(self):
        def stepped(typed, *flags):
            return subprocess.run([PROGRAM, "learn", "journey", "--from", "masked-softmax", "--step", "--no-state", *flags],
                                  input=typed, capture_output=True, text=True).stdout
        self.assertIn("Words of this step: Softmax; ", stepped("words\n"))
        self.assertIn("\nDropout\n.......\n", stepped("words dropout\n"))
        self.assertIn("The glossary has no 'x?'.", stepped("words x\x1b\n"))
        self.assertIn("\nSoftmax. ", stepped("words softmax\n", "--speak"))


if __name__ == "__main__":
    unittest.main()
