"""The screens of the corpus: scripted keys, and what a terminal shows after each of them, colours included."""
import dataclasses
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import terminal
from terminal import SCRIPT


class Coloured(terminal.Screen):
    """A screen that also keeps how each cell is painted."""

    def __init__(self, lines, columns):
        super().__init__(lines, columns)
        self.style, self.styles, self.painted = "", {}, []

    def control(self, numbers, letter):
        if letter == "m":
            self.style = "" if numbers in ("", "0") else self.style + ";" + numbers
        elif letter == "K":
            self.styles = {at: style for at, style in self.styles.items() if at[0] != self.row or at[1] < self.column}
        super().control(numbers, letter)
        if letter == "l" and numbers == "?2026":
            self.painted = self.painted_now()

    def put(self, text):
        for char in text:
            super().put(char)
            if char not in "\r\n":
                self.styles[self.row, self.column - 1] = self.style

    def painted_now(self):
        """The lines of the screen, each followed by its cells that are painted: `from-to style`."""
        lines = []
        for row, text in enumerate(self.rows_now()):
            runs = []
            for column in range(self.columns):
                style = self.styles.get((row, column), "")
                if runs and runs[-1][2] == style and runs[-1][1] == column - 1:
                    runs[-1][1] = column
                elif style:
                    runs.append([column, column, style])
            lines.append(text + "".join(f"  <{first}-{last}{style}>" for first, last, style in runs))
        return lines + ["cursor" if self.cursor else "no cursor"]


class Window(terminal.Terminal):
    SCREEN = Coloured


@dataclasses.dataclass
class Screen:
    """Keys after the program's first screen: a text, or a text with words that must appear."""
    words: list
    keys: list
    first: str = "q quit"
    glass: bool = False  # run `python3 -m glassgrad` instead
    files: dict = dataclasses.field(default_factory=dict)
    lines: int = 24
    columns: int = 80

    def sizes(self):
        return [dataclasses.replace(self, lines=lines, columns=columns) for lines, columns in ((24, 80), (30, 100))]

    @property
    def name(self):
        keys = " ".join(repr(key if isinstance(key, str) else key[0])[1:-1] for key in self.keys)
        return f"{self.columns}x{self.lines}{' glass' if self.glass else ''}: {keys}"

    def run(self, program, words, environment):
        """Every screen, one after the other."""
        shown = []
        with Window(*words, *self.words, lines=self.lines, columns=self.columns, program=program, **environment) as t:
            t.until(self.first)
            shown.append(t.screen.painted)
            for key in self.keys:
                if isinstance(key, str):
                    t.after(key)
                else:
                    t.send(key[0])
                    t.until(*key[1:])
                shown.append(t.screen.painted)
            t.send("\x03")
            code = t.ended()
        texts = [f"--- {number}\n" + "\n".join(lines) for number, lines in enumerate(shown)]
        return "\n".join(texts) + f"\n--- ends with {code}\n"


def has_module(environment):
    """Whether Python finds the module whose --glass the screens show."""
    return subprocess.run([sys.executable, "-c", "import glassgrad"], env=environment, capture_output=True).returncode == 0


def learn(*keys, lesson="journey", at=None, **more):
    return Screen(["learn", lesson, *(["--from", at] if at else [])], list(keys), **more)


def build(*keys, course="attention", at=None):
    return Screen(["build", course, *(["--from", at] if at else [])], list(keys))


def typed(text):
    return list(text)


UP, DOWN, RIGHT, LEFT, PAGE_DOWN, PAGE_UP, END, HOME = ("\x1b[" + end for end in ("A", "B", "C", "D", "6~", "5~", "F", "H"))
SCREENS = [
    learn(" ", " ", "n", "b", "G", "\r", "b", "x", "?", DOWN, PAGE_DOWN, "x", "\x0c"),
    learn("\t", RIGHT, DOWN, "i", "i", "+", "+", "-", "\x7f", "\x1b", "a", DOWN, UP, "\x1b", at="masked-softmax"),
    learn("e", *typed("0.5"), "\r", "b", "n", "r", "e", *typed("nothing[0]=1"), "\r", "\x1b", "r", at="masked-scores"),
    learn("E", DOWN, UP, "\r", "\x15", *typed("foo"), "\r", "\r", "\x15", *typed("attn_weights = masked * 2"), "\r", "r", "\x1b",
          at="masked-softmax"),
    learn("/", *typed("softmax"), "\r", "n", "N", "\x1b", "/", *typed("0.3293"), "\r", "/", *typed("nowhere"), "\r", "\x1b"),
    learn("g", *typed("12"), "\r", "g", *typed("nothing"), "\r", "\x1b", "g", *typed("masked-scores"), "\r", "t", "t", "c", DOWN, "w", DOWN, "x"),
    learn("B", "n", "\t", "i", "\x7f", "\t", "B", at="self-attention-v1"),
    learn("p", "?", "?", "?", "x", "\r", "\r", "p", "\x1b", "p", "\r", at="dot-product"),
    learn("p", "b", "\r", "a", "\r", " ", "p", "\r", at="masked-softmax"),
    learn("]", "[", "L", DOWN, UP, PAGE_DOWN, PAGE_UP, END, HOME, lesson="cat"),
    learn("f", "f", RIGHT, LEFT, "l", "h", "\t", PAGE_DOWN, PAGE_UP, "l", "l", "i", "a", "\x1b", at="gpt-single-logits", lesson="single-and-multi"),
    learn("E", "\r", "\x15", *typed("while True: pass"), ("\r", "Esc stops it."), ("\x1b", "Stopped: nothing has changed."), lesson="mask.five-ways", at="2"),
    learn(" ", "\t", "i", "i", "b", "w", lesson="lab", at="3"),
    Screen(["learn", "s.py"], ["n", "]", "[", "c", "x", "L", "\x7f", "E", "\r", END, *typed(" * 2"), "\r", "r", "G", "B", "B"], files={"s.py": SCRIPT}),
    build("h", "h", "h", "h", "s", "\r", *typed("score = query * key"), "\r", "u", "u", "r", "n", "b", "g", *typed("12"), "\r", "?", "x"),
    build("\r", *typed("score = query @ key"), "\r", "\r", "h", "\r", *typed("scores = x.T @ x"), LEFT, LEFT, "\x7f", "\x1b", "g",
          *typed("99"), "\r", "\x1b"),
    build("\r", *typed("masked = scaled"), "\x0e", *typed("for i in range(n):"), "\r", *typed("masked[i, i:] = 0"), UP, HOME, END, DOWN, "\r",
          "\r", DOWN, PAGE_DOWN, PAGE_UP, at="mask"),
    build("\r", *typed("grad_a = nothing"), "\r", "h", "s", "n", "n", "b", course="autograd", at="2"),
    build("s", DOWN, " ", "h", "\r", *typed("import os"), "\r", course="gpt", at="3"),
    Screen(["start", "--steps", "5"], ["4", ("\r", "3/12", "Enter next"), *["\r", "i", "i"] * 5, *["\r"] * 5, "b", "x", "b"]),
    Screen(["start", "--steps", "5", "--from", "softmax"], ["i", "\r", "b", "b", "x"], first="Enter next"),
    Screen(["--glass", "s.py"], [*typed("gs-3.2"), "\r", "]", "]", "[", "L", "x", "c", "x", "/", *typed("2.5000"), "\r", "\t", "i", "i"], glass=True,
           files={"s.py": SCRIPT}),
    Screen(["--glass", "--from", "s-5", "s.py"], ["e", *typed("x[0,1]=7"), "\r", *typed("gs-4.3"), "\r", "r", "G", "B", "n", "B"], glass=True,
           files={"s.py": SCRIPT}),
    Screen(["--glass", "s.py"], ["b", "\r", "?", "x"], glass=True, files={"s.py": SCRIPT + "z = y @ torch.ones(3)\n"}),
]
