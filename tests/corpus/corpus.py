#!/usr/bin/env python3
"""The corpus: everything that the program can show, a hash a case, so that a change of the sources that should change no
output is seen to change none.

    corpus.py PROGRAM                 prints a hash and a name for each case; the name is the command that it runs
    corpus.py PROGRAM --check         compares with tests/golden/corpus.txt: exit code 1 if a case differs
    corpus.py PROGRAM --update        writes that file; the commit says why each line of it has changed
    corpus.py PROGRAM --against OTHER compares two programs, and shows the first lines that differ
    corpus.py PROGRAM --show NAME     prints the files and the output of one case
    --only REGEX                      the cases with such names
    --every N                         of these every Nth case

Screens of Python's are cases if the environment has a PYTHONPATH with the module.
"""
import argparse
import concurrent.futures
import difflib
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "corpus.txt"
os.environ.setdefault("GLASSGRAD", "glassgrad")  # the program that the tests' terminal runs by default
import cases
import screens

PATIENCE = 300
TRAINING = "train --steps 10 --width 16 --out m --threads 1".split()
# Environment variables that reach the program; all others are removed.
KEPT = ("GLASSGRAD_THREADS", "GLASSGRAD_CPU", "PATH", "PYTHONPATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")
FIXED = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "GLASSGRAD_TODAY": "2026-11-02", "PYTHONDONTWRITEBYTECODE": "1"}


class Program:
    """A program, and a folder for its runs, with a small model that it has trained."""

    def __init__(self, path, folder):
        self.path, self.folder = str(pathlib.Path(path).resolve()), pathlib.Path(folder)
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ} | FIXED
        done = self.started(TRAINING, self.folder)
        if done.returncode:
            sys.exit(f"{path} cannot train: {done.stderr}")

    def started(self, words, folder, typed=""):
        return subprocess.run([self.path, *words], cwd=folder, input=typed, text=True, timeout=PATIENCE, capture_output=True,
                              errors="replace",
                              env={**self.environment, "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")})

    def output_of(self, *words):
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            return self.started(words, pathlib.Path(folder)).stdout

    def run(self, case):
        """All that the case shows, as one text."""
        began = time.monotonic()
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = pathlib.Path(name)
            for file, text in case.files.items():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_text(text)
            if case.model:
                (folder / "m").symlink_to(self.folder / "m")
            try:
                text = self.on_screen(case, folder) if case.screen else self.by_pipe(case, folder)
            except (subprocess.TimeoutExpired, AssertionError) as error:
                sys.exit(f"{case.name}\n{error}")
        case.seconds = time.monotonic() - began
        return text.replace(name, "FOLDER")

    def by_pipe(self, case, folder):
        done = self.started(case.words, folder, case.typed)
        assert done.returncode >= 0, f"died of signal {-done.returncode}, which is never right"
        out = cases.page_data(done.stdout) if case.is_page else done.stdout
        return out + (f"--- stderr\n{done.stderr}" if done.stderr else "") + f"--- exit code {done.returncode}\n"

    def on_screen(self, case, folder):
        environment = {**self.environment, "HOME": str(folder), "state": str(folder / "state"), "folder": str(folder)}
        words = ["-m", "glassgrad"] if case.screen.glass else []
        program = sys.executable if case.screen.glass else self.path
        return case.screen.run(program, words, environment)


def all_texts(program, chosen, jobs, take):
    """Calls `take` with each case and its text, in order."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for case, text in zip(chosen, pool.map(program.run, chosen)):
            take(case, text)


def hashed(text):
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def difference(case, before, after):
    """The first lines that differ, cut."""
    parts = [re.sub(r', (?=["{[])', ",\n", text) if case.is_page else text for text in (before, after)]
    lines = list(difflib.unified_diff(*(part.split("\n") for part in parts), lineterm="", n=1))[2:]
    return "\n".join("    " + line[:160] for line in lines[:14]) + ("\n    ..." if len(lines) > 14 else "")


def golden():
    """The golden list: hashes by names."""
    return dict(reversed(line.split("  ", 1)) for line in GOLDEN.read_text().splitlines())


def check(found, belongs):
    """Whether the cases equal those of the golden list that belong here; says what differs."""
    old = {name: value for name, value in golden().items() if belongs(name)}
    differ = [name for name, value in found.items() if name in old and old[name] != value]
    groups = {"differ": differ, "are new": [n for n in found if n not in old], "are gone": [n for n in old if n not in found]}
    for what, names in groups.items():
        if names:
            print(f"{len(names)} cases {what}:", *names, sep="\n  ")
    return not any(groups.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--against", metavar="OTHER")
    parser.add_argument("--show", metavar="NAME")
    parser.add_argument("--only", metavar="REGEX", default="")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help="name the N cases that took longest")
    given = parser.parse_args()
    began = time.monotonic()

    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as second:
        program = Program(given.program, folder)
        glass = screens.has_module(program.environment)
        known = cases.cases(program.output_of, glass)
        chosen = [case for case in known if (case.name == given.show if given.show else re.search(given.only, case.name))][::given.every]
        names = [case.name for case in chosen]
        assert len(names) == len(set(names)), [name for name in names if names.count(name) > 1]
        if given.show:
            for case in chosen:
                for file, text in case.files.items():
                    print(f"--- {file}\n{text}", end="")
                print(f"--- stdin\n{case.typed}--- output" if case.typed else "--- output", program.run(case), sep="\n", end="")
            sys.exit(not chosen)
        texts, found = {}, {}

        def take(case, text):
            found[case.name] = hashed(text)
            if given.against:
                texts[case.name] = text
            elif not given.check and not given.update:
                print(found[case.name], "", case.name, flush=True)

        all_texts(program, chosen, given.jobs, take)
        same = True
        if given.against:
            differing = []

            def compare(case, text):
                if text != texts[case.name]:
                    differing.append(case.name)
                    print(f"{case.name}\n{difference(case, text, texts[case.name])}", flush=True)

            all_texts(Program(given.against, second), chosen, given.jobs, compare)
            same = not differing
            print(f"corpus: {len(chosen) - len(differing)} of {len(chosen)} cases equal those of {given.against}")
        elif given.update:
            kept = golden() if given.only or given.every > 1 else {}  # the cases that did not run
            GOLDEN.write_text("".join(f"{value}  {name}\n" for name, value in (kept | found).items()))
        elif given.check:
            same = check(found, lambda name: name in found or
                         given.every == 1 and re.search(given.only, name) and (glass or " glass: " not in name))
            if not same:
                print(f"To see a case: {sys.argv[0]} {given.program} --show 'NAME'. To see both sides: --only REGEX --against OTHER, "
                      "with a program built before the change.")
    for case in sorted(chosen, key=lambda case: -case.seconds)[:given.slowest]:
        print(f"{case.seconds:6.2f} s  {case.name}")
    spent = os.times()
    print(f"corpus: {len(chosen)} cases in {time.monotonic() - began:.0f} s, {sum(spent[:4]):.0f} s of processors", file=sys.stderr)
    sys.exit(not same)


if __name__ == "__main__":
    main()
