"""Whole programs: those of the lessons, which print what their lessons print, and, where there, those of the sources."""
import unittest

from module import GOLDEN, SHARED, difference, glassgrad


class Programs(unittest.TestCase):
    def check(self, program, expected):
        done = glassgrad(program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout == expected, f"{program.name}: {difference(expected, done.stdout)}")

    def test_programs_of_the_lessons(self):
        for name in "journey", "gpt-attention", "single-and-multi", "cat", "climb":
            program = GOLDEN / f"{name}.py"
            with self.subTest(program.name):
                self.check(program, program.with_suffix(".txt").read_text())

    @unittest.skipUnless(SHARED.exists(), "the sources are not here")
    def test_programs_of_the_sources(self):
        programs = sorted((SHARED / "golden" / "lessons").glob("*.py"))
        self.assertEqual(len(programs), 5)
        for program in programs:
            with self.subTest(program.name):
                self.check(program, program.with_suffix(".txt").read_text())

    @unittest.skipUnless(SHARED.exists(), "the sources are not here")
    def test_the_notebook_of_source_004_prints_its_blocks(self):
        source = next((SHARED / "sources").glob("004_*.txt")).read_text().splitlines()
        program = SHARED / "golden" / "lessons" / "journey.py"
        code = [line for line in program.read_text().splitlines()[1:] if line.strip()]
        self.assertEqual(first_missing(code, source), None)  # the program is the source's code, in the same order
        done = glassgrad(program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(first_missing([line for line in done.stdout.splitlines() if line.strip()], source), None)


def first_missing(lines, of):
    """The first line that does not follow, in `of`, after where the line before it was found."""
    rest = iter([line.rstrip() for line in of])
    return next((line for line in lines if line.rstrip() not in rest), None)


if __name__ == "__main__":
    unittest.main()
