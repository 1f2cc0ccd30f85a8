"""What docs/python.md and docs/glass.md show of Python runs, and prints what they show."""
import contextlib
import io
import re
import unittest

from module import TESTS

PAGES = [TESTS.parent / "docs" / f"{name}.md" for name in ("python", "glass")]


class Docs(unittest.TestCase):
    def test_blocks_of_python(self):
        blocks = [block for page in PAGES
                  for block in re.findall(r"^```python\n(.*?)^```\n\n```output\n(.*?)^```$", page.read_text(), re.M | re.S)]
        self.assertGreaterEqual(len(blocks), 8)
        for source, expected in blocks:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(source, "<docs>", "exec"), {"__name__": "docs"})
            self.assertEqual(printed.getvalue().rstrip("\n") + "\n", expected)


if __name__ == "__main__":
    unittest.main()
