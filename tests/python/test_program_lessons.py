"""The program of each lesson, written by `glassgrad learn NAME --format python`, prints here what the lesson prints."""
import concurrent.futures
import os
import pathlib
import subprocess
import tempfile
import unittest

from module import TESTS, difference, glassgrad

PROGRAM = os.environ.get("GLASSGRAD")
LESSONS = sorted(path.stem for path in (TESTS.parent / "apps" / "lessons").glob("*.md"))
OTHERWISE = {  # settings that differ from the lesson's own
    "cat": ["--seed", "7", "--d-out", "3", "--heads", "2"],
    "gpt-attention": ["--width", "24", "--context", "16"],
    "journey": ["--inputs", "rows.csv", "--dropout", "0.25"],
    "heads.same": ["--inputs", "rows.csv", "--heads", "3"],
}


@unittest.skipUnless(PROGRAM, "GLASSGRAD names no program")
class Programs(unittest.TestCase):
    def test_each_prints_what_its_lesson_prints(self):
        runs = [(name, []) for name in LESSONS] + list(OTHERWISE.items())
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
            (pathlib.Path(folder) / "rows.csv").write_text("0.1, 0.2, -0.3\n0.5, 0.1, 0.25\n1e-3, 0.43, 7\n")

            def both(number, name, flags):
                def learn(*form):
                    return subprocess.run([PROGRAM, "learn", name, *flags, *form], cwd=folder, capture_output=True,
                                          text=True, check=True).stdout
                file = pathlib.Path(folder) / f"{number}.py"
                file.write_text(learn("--format", "python"))
                return name, flags, learn("--outputs"), glassgrad(file)

            for done in [pool.submit(both, number, *run) for number, run in enumerate(runs)]:
                name, flags, expected, run = done.result()
                self.assertEqual(run.returncode, 0, (name, flags, run.stderr))
                self.assertTrue(run.stdout == expected, f"{name} {flags}: {difference(expected, run.stdout)}")


if __name__ == "__main__":
    unittest.main()
