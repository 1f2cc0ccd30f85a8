"""The stepper on a script that ran under glass: its lines, their turns, search, what-if, an exception."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import terminal
from terminal import SCRIPT

terminal.PROGRAM = sys.executable


class Stepper(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "s.py")

    def step(self, source, *options):
        self.path.write_text(source)
        return terminal.Terminal("-m", "glassgrad", "--glass", *options, self.path)

    def test_lines_turns_and_search(self):
        with self.step(SCRIPT) as t:
            t.until(" s.py  1/", "5 > x = torch.tensor", "0.2500", "q quit")
            t.send("gs-3.2\r")
            t.until("s.py scaled", "In scaled, called by line 7", "3 >     s = v * 2", "s  (2, 2)")
            for keys, *words in [("]", "s-3.3"), ("]", "This is the last turn of this line."), ("[", "s-3.2"),
                                 ("L", "Turns of line 3 of s.py", "s-3.3"), ("x", "s-3.2"),
                                 ("c", ">    3      s = v * 2", "   9  y.sum().backward()"), ("x", "s-3.2"),
                                 ("/2.5000\r", "s-4.2"), ("gs-8.2\r", "round 1")]:
                t.send(keys)
                t.until(*words)
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_cells_gradients_and_what_if(self):
        with self.step(SCRIPT, "--from", "s-3.2") as t:
            t.until("s-3.2", "0.5000")
            t.send("\t")
            t.until("[")
            t.send("i")
            t.until("mul", "= 0.5000")
            t.send("\x7f\t")
            t.send("gs-9\r")
            t.until("A backward pass starts from")
            t.send("B")
            t.until("backward-")
            t.send("B")
            t.send("gs-5\r")
            t.until("s-5")
            t.send("ex[0,1]=7\r")
            t.until("r takes it back", "7.0000")
            t.send("gs-4.3\r")
            t.until("s-4.3", "~29.")
            t.send("r")
            t.until("As it was.")
            t.send("q")
            self.assertEqual(t.ended(), 0)

    def test_an_exception_opens_at_its_line(self):
        with self.step(SCRIPT + "z = y @ torch.ones(3)\n") as t:
            t.until("10 > z = y @ torch.ones(3)", "RuntimeError:", "q quit")
            t.send("b")
            t.until("s-9")
            t.send("q")
            self.assertEqual(t.ended(), 1)

    def test_ctrl_c_shows_what_there_is(self):
        with self.step("import time, torch\nx = torch.ones(2)\nwhile True:\n    time.sleep(0.01)\n    print('now')\n") as t:
            t.until("now\nnow\nnow")
            t.send("\x03")
            t.until("\n\nKeyboardInterrupt\n", "of the loop in line 3.", "q quit")
            self.assertNotIn("Round 1 of", "\n".join(t.screen.rows()))
            t.send("g1\r")
            t.until("x = torch.ones(2)")
            t.send("q")
            self.assertEqual(t.ended(), 130)

    def test_stdin_is_the_scripts_until_it_ends(self):
        with self.step("import torch\nx = torch.ones(2) * float(input('how much? '))\n") as t:
            t.until("how much?")
            t.send("3\r")
            t.until("3.   3.", "q quit")
            t.send("ex[0]=1\r")
            t.until("reads stdin")
            t.send("q")
            self.assertEqual(t.ended(), 0)


if __name__ == "__main__":
    unittest.main()
