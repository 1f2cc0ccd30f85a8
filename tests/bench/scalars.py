#!/usr/bin/env python3
"""A GPT of scalars (tests/script/programs/gpt_of_scalars.py), trained in turn by CPython and by the interpreter.

    python3 tests/bench/scalars.py [STEPS] [ROUNDS]

Prints the seconds of the processor that each needed, by round, and their ratio. Both must print the same.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT_RUN = os.environ.get("SCRIPT_RUN", str(ROOT / "build" / "script_run"))
STEPS, ROUNDS = (int(word) for word in (*sys.argv[1:], *("1000", "3")[len(sys.argv) - 1:]))


def timed(program, file):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    text = subprocess.run([program, file], capture_output=True, check=True).stdout
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, text


def main():
    program = (ROOT / "tests/script/programs/gpt_of_scalars.py").read_text()
    assert program.count("\nsteps = 12\n") == 1
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "gpt.py")
        file.write_text(program.replace("\nsteps = 12\n", f"\nsteps = {STEPS}\n"))
        for _ in range(ROUNDS):
            (python, expected), (ours, got) = timed(sys.executable, file), timed(SCRIPT_RUN, file)
            assert expected == got, "they print different texts"
            print(f"{STEPS} steps: CPython {python:.2f} s, interpreter {ours:.2f} s, ratio {ours / python:.2f}", flush=True)


if __name__ == "__main__":
    main()
