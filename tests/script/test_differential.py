"""Programs print on the interpreter what they print on CPython with the Python module, and end as they end there.

SCRIPT_RUN is the interpreter's program, script_run; SCRIPT_RANDOM how many random programs there are, from the seed
SCRIPT_SEED on.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import on_python
import random_programs

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT_RUN = os.environ.get("SCRIPT_RUN", str(HERE.parent.parent / "build" / "script_run"))
RANDOM, SEED = int(os.environ.get("SCRIPT_RANDOM", 200)), int(os.environ.get("SCRIPT_SEED", 0))


def on_interpreter(path):
    """[standard output, last line of standard error, exit code]"""
    try:
        done = subprocess.run([SCRIPT_RUN, path], capture_output=True, timeout=60,
                              env=os.environ | {"GLASSGRAD_THREADS": "1"})
    except subprocess.TimeoutExpired:
        return ["", "it did not end", -1]
    lines = done.stderr.decode(errors="replace").splitlines()
    last = re.sub(r"\. Did you mean: '\w+'\?$", "", lines[-1]) + "\n" if lines else ""
    return [done.stdout.decode(errors="replace"), last, done.returncode]


def ran(paths):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return list(pool.map(on_interpreter, paths))


def parts(run):
    return (run[0] + run[1]).splitlines() + [f"exit code {run[2]}"]


def difference(expected, got):
    for number, (a, b) in enumerate(zip(parts(expected), parts(got)), 1):
        if a != b:
            return f"line {number} of the output:\n  CPython      {a}\n  interpreter  {b}"
    return f"CPython has {len(parts(expected))} lines, the interpreter {len(parts(got))}"


class Differential(unittest.TestCase):
    def check(self, programs, expected):
        wrong = [(p, difference(e, g)) for p, e, g in zip(programs, expected, ran(programs)) if e != g]
        shown = "\n".join(f"{program}: {what}" for program, what in wrong[:20])
        if wrong:
            self.fail(f"{len(wrong)} of {len(programs)} programs differ\n{shown}")

    def test_corpus(self):
        programs = sorted((HERE / "programs").glob("*.py"))
        self.assertGreater(len(programs), 250)
        self.check(programs, on_python.runs(programs))

    def test_programs_of_one_version_of_python(self):
        programs = sorted((HERE / "programs" / "3.11").glob("*.py")) + sorted((HERE / "programs" / "3.13").glob("*.py"))
        self.assertGreater(len(programs), 9)
        for program, (out, last, code) in zip(programs, ran(programs)):
            with self.subTest(program.name):
                self.assertEqual(out + last, program.with_suffix(".txt").read_text())
                self.assertEqual(code, 1 if last else 0)

    def test_refused(self):
        for program in sorted((HERE / "refused").glob("*.py")):
            first = program.read_text().partition("\n")[0].removeprefix("# ").removeprefix("unsupported ")
            kind, text = first.split(": ", 1)[1].split(": ", 1)
            with self.subTest(program.name):
                out, last, code = on_interpreter(program)
                self.assertEqual((out, code), ("", 1))
                # The text for unsupported code may end with the nearest supported way to write it.
                self.assertTrue(last.startswith(f"{kind}: {text.partition('; ')[0]}"), last)

    def test_random_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            programs = []
            for seed in range(SEED, SEED + RANDOM):
                programs.append(pathlib.Path(folder, f"{seed}.py"))
                programs[-1].write_text(random_programs.Program(seed).text(), encoding="utf-8")
            expected = on_python.runs(programs)
            if sys.version_info < (3, 12):  # older versions word it differently
                expected = [[text.replace("float modulo", "float modulo by zero") if isinstance(text,
                    str) else text for text in run] for run in expected]
            self.check(programs, expected)


if __name__ == "__main__":
    unittest.main()
