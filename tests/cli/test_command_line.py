#!/usr/bin/env python3
"""Every number of every command: what is no number, none of its range, or wraps around elsewhere, is exit code 2; other
locales change nothing."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM, glassgrad, learn, listed
from training import SMALL, Folder

COMMANDS = {
    "start": ["start"],
    "learn": ["learn", "LESSON"],
    "build": ["build", "attention"],
    "why": ["why", "journey", "masked-scores:masked[1,0]"],
    "train": ["train", "--out", "nowhere"],
    "generate": ["generate", "nothing", "--prompt", "a"],
    "inspect": ["inspect", "run", "--text", "a"],
    "convert": ["convert", "nothing", "nowhere"],
    "gradcheck": ["gradcheck", "LESSON"],
    "bench": ["bench"],
}
# Includes digits of a different script, hexadecimal, a comma, and numbers beyond 64 bits and beyond double.
NO_NUMBERS = ["nan", "inf", "-inf", "1e400", "-18446744073709551616", "7abc", "", " ", "0x10", "1,5", "1e", "٣"]
REAL = {"--lr", "--weight-decay"}
MAY_BE_NEGATIVE = {"--seed", "--seed-v2", "--a", "--b"}


def number_flags(command):
    """(flag, what the help says about it) of all flags that take a number."""
    text = glassgrad(command, "--help").out
    return [(flag, about) for flag, about in re.findall(
        r"^  (--[a-z0-9-]+)(?:,--[a-z0-9,-]+)? (?:N|X|P|L|H|S|L\.H|SHARE|PERCENT|N\|FILE)\b(.*?)(?=^  -|^\S|\Z)", text, re.M | re.S)]


class Numbers(Folder):
    def test_what_is_no_number_of_the_range(self):
        self.trained()
        seen, lessons = 0, {name for name, *_ in listed(glassgrad("docs").out)}
        for command, words in COMMANDS.items():
            for flag, about in number_flags(command):
                if command == "why" and flag != "--depth":
                    continue  # the flags of the lessons, tested with learn
                name = next((word for word in re.findall(r"[a-z0-9.-]+", about) if word in lessons), "journey")
                words_now = [name if word == "LESSON" else word for word in words]
                for value in NO_NUMBERS + ["-1"] * (flag not in MAY_BE_NEGATIVE) + ["18446744073709551616"] * (flag not in REAL):
                    with self.subTest(command=command, flag=flag, value=value):
                        run = glassgrad(*words_now, f"{flag}={value}", cwd=self.folder)
                        self.assert_fails(run, flag, code=2)
                        seen += 1
        self.assertGreater(seen, 400)
        self.assertEqual(list(self.folder.iterdir()), [self.run_folder])
        print(f"command line: {seen} values that are no numbers of their range refused")

    def test_no_command_is_forgotten(self):
        flags = {command: {flag for flag, _ in number_flags(command)}
                 for command in re.findall(r"^  ([a-z]+) ", glassgrad("--help-all").out, re.M)}
        self.assertLess(flags.pop("graph"), flags["learn"])
        self.assertEqual({command for command in flags if flags[command]}, set(COMMANDS))

    def test_zeros_before_a_number_are_no_octal(self):
        run = self.train(*SMALL, "--steps", "010")
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertEqual((self.run_folder / "log.jsonl").read_text().count("\n"), 10)

    def test_there_is_no_configuration_file(self):
        self.write("glassgrad.ini", "steps=1\n")
        self.assert_fails(glassgrad("train", "--config", "glassgrad.ini", cwd=self.folder), "--config", code=2)

    def test_a_flag_without_its_value_or_misspelt(self):
        self.assert_fails(self.train("--steps"), "--steps", code=2)
        self.assert_fails(self.train("--stpes", 3), "--steps", code=2)


class Streams(unittest.TestCase):
    def test_output_that_goes_nowhere(self):
        for command in ["--version"], ["--help"], ["learn"], ["learn", "--help"], ["learn", "cat"], ["train", "--help"]:
            with self.subTest(command), open("/dev/full", "w") as full:
                run = subprocess.run([PROGRAM, *command], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual((run.returncode, run.stderr), (1, "glassgrad: cannot write the output: No space left on device\n"))
            with self.subTest(command, closed=True):
                run = subprocess.run([PROGRAM, *command], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                     preexec_fn=lambda: os.close(1))
                self.assertEqual((run.returncode, run.stderr), (1, "glassgrad: cannot write the output: Bad file descriptor\n"))

    def test_a_reader_that_goes_is_no_trouble(self):
        for command in "--help", "learn journey", "learn cat --format json", "learn climb --outputs":
            with self.subTest(command):
                run = subprocess.run(["sh", "-c", f'{{ "$0" {command}; echo "code $?" >&2; }} | head -n 1', PROGRAM],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.assertEqual(run.stderr, "code 0\n")
                self.assertEqual(run.stdout.count("\n"), 1)


@unittest.skipUnless(shutil.which("localedef"), "localedef cannot be found")
class CommaLocale(unittest.TestCase):
    """A locale that writes 0,5, made here: most systems have none installed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.folder / "de_DE.UTF-8"], capture_output=True)
        if not (self.folder / "de_DE.UTF-8" / "LC_NUMERIC").exists():
            self.skipTest(f"no locale can be made: {made.stderr}")
        # glibc never frees a LOCPATH that it has read.
        self.comma = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "LOCPATH": str(self.folder),
                      "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}

    def test_the_locale_is_one(self):
        run = subprocess.run(["printf", "%.1f", "0,5"], capture_output=True, text=True, env=self.comma)
        self.assertEqual(run.stdout, "0,5")

    def test_nothing_is_read_or_written_otherwise(self):
        (self.folder / "own.csv").write_text("0.43,0.15,0.89\n0.55,0.87,0.66\n1.5e-3,-2,0.125\n")
        for command in [["learn", "journey", "--outputs"], ["learn", "cat", "--plain", "--dropout", "0.25"],
                        ["learn", "journey", "--inputs", self.folder / "own.csv", "--format", "json"],
                        ["why", "journey", "masked-scores:masked[1,0]"],
                        ["learn", "journey", "--set", "masked-scores:masked[1,0]=0.5"]]:
            with self.subTest(command):
                plain, comma = glassgrad(*command), glassgrad(*command, env=self.comma)
                self.assertEqual((plain.code, plain.err), (0, ""))
                self.assertEqual((comma.code, comma.err, comma.out), (0, "", plain.out))
        for folder, env in ("plain", os.environ), ("comma", self.comma):
            run = glassgrad("train", *SMALL, "--steps", 3, "--lr", "0.01", "--out", self.folder / folder, env=env)
            self.assertEqual((run.code, run.err), (0, ""))
        same = [(self.folder / folder / "last.safetensors").read_bytes() for folder in ("plain", "comma")]
        self.assertEqual(same[0], same[1])
        self.assertEqual((self.folder / "plain" / "loss.svg").read_text(), (self.folder / "comma" / "loss.svg").read_text())
        self.assertEqual(learn("--dropout", "0,5", env=self.comma).code, 2)


if __name__ == "__main__":
    unittest.main()
