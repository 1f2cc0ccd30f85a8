"""A terminal for tests: a program runs on a pseudo-terminal, and what it draws is read from the screen."""
import codecs
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
from pathlib import Path

from program import PATIENCE, PROGRAM

# A program with a loop and a backward pass, to step through under glass.
SCRIPT = """\
import torch
def scaled(v):
    s = v * 2
    return s + 1
x = torch.tensor([[0.25, 0.5], [0.75, 1.0]], requires_grad=True)
for i in range(3):
    y = scaled(x * i)
    print("round", i)
y.sum().backward()
"""
SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")
PLAIN = re.compile(r"[\r\n]|[^\x1b\r\n]+")


class Screen:
    """What a terminal shows after the bytes it got; only what the stepper sends is understood."""

    def __init__(self, lines, columns):
        self.lines, self.columns = lines, columns
        self.cells = [[" "] * columns for _ in range(lines)]
        self.row = self.column = 0
        self.alternate, self.cursor, self.rest = False, True, ""
        self.frames, self.frame = 0, None  # the number of frames drawn; the last frame

    def feed(self, text):
        text = self.rest + text
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                match = SEQUENCE.match(text, at)
                if match is None:
                    if len(text) - at > 40:
                        raise AssertionError(f"unknown escape sequence {text[at:at + 40]!r}")
                    break
                self.control(*match.groups())
                at = match.end()
                continue
            match = PLAIN.match(text, at)
            self.put(match[0])
            at = match.end()
        self.rest = text[at:]

    def control(self, numbers, letter):
        if letter == "H":
            row, column = (int(n) for n in (numbers or "1;1").split(";"))
            self.row, self.column = row - 1, column - 1
        elif letter == "K":
            self.cells[self.row][self.column:] = [" "] * (self.columns - self.column)
        elif letter in "hl" and numbers == "?1049":
            self.alternate, self.frame = letter == "h", None
            self.cells = [[" "] * self.columns for _ in range(self.lines)]
            self.row = self.column = 0
        elif letter in "hl" and numbers == "?25":
            self.cursor = letter == "h"
        elif numbers == "?2026":
            self.frames += letter == "l"
            self.frame = self.rows_now() if letter == "l" else self.frame
        elif not (letter == "m" or (letter in "hl" and numbers == "?7")):
            raise AssertionError(f"unknown escape sequence {numbers}{letter}")

    def put(self, text):
        """Writes printable characters, or does what one return or line feed says."""
        if text == "\r":
            self.column = 0
        elif text == "\n":
            self.row += 1
            if self.row == self.lines:
                self.cells = self.cells[1:] + [[" "] * self.columns]
                self.row -= 1
        else:
            while text:
                if self.column == self.columns:
                    self.column = 0
                    self.put("\n")
                fits = text[:self.columns - self.column]
                self.cells[self.row][self.column:self.column + len(fits)] = fits
                self.column += len(fits)
                text = text[len(fits):]

    def rows_now(self):
        return ["".join(row).rstrip() for row in self.cells]

    def rows(self):
        """The lines of the screen; while the program draws, those of its last whole frame."""
        return self.frame or [] if self.alternate else self.rows_now()


class Terminal:
    """`glassgrad ARGUMENTS` as a job of a shell on a terminal of its own, with `stty -a` before and after."""

    SHELL = """set -m; stty -a >"$STATE/before"; "$@"; code=$?
               stty -a >"$STATE/after"; echo "[ended $code]"
               if [ "$code" = 148 ]; then read -r go; fg; code=$?; stty -a >"$STATE/last"; echo "[ended $code]"; fi"""

    # Under sanitizers, test the program's own signal handlers instead of the sanitizers'.
    OWN_HANDLERS = "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0"

    SCREEN = Screen

    def __init__(self, *arguments, lines=24, columns=80, state=None, program=None, folder=None, **environment):
        self.folder = tempfile.TemporaryDirectory()
        self.state = Path(state or self.folder.name)
        self.main, terminal = os.openpty()
        self.resize(lines, columns)
        self.raw, self.decoder = "", codecs.getincrementaldecoder("utf-8")("replace")
        removed = {"NO_COLOR", "COLORTERM", "XDG_STATE_HOME"}
        self.child = subprocess.Popen(
            ["sh", "-c", self.SHELL, "sh", program or PROGRAM, *map(str, arguments)], stdin=terminal, stdout=terminal,
            stderr=terminal, cwd=folder, start_new_session=True, preexec_fn=self.begin,
            env={**{k: v for k, v in os.environ.items() if k not in removed}, "TERM": "xterm-256color",
                 "ASAN_OPTIONS": self.OWN_HANDLERS, "TSAN_OPTIONS": self.OWN_HANDLERS,
                 "STATE": self.folder.name, "XDG_STATE_HOME": str(self.state), **environment})
        os.close(terminal)

    @staticmethod
    def begin():
        """In the child: the terminal is its own, and no signal is ignored because the tests run in the background."""
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        for number in signal.SIGINT, signal.SIGQUIT:
            signal.signal(number, signal.SIG_DFL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            group = os.tcgetpgrp(self.main)
            os.close(self.main)  # hangs up
            self.main = None
            try:
                self.child.wait(5)
            except subprocess.TimeoutExpired:
                self.child.kill()
            self.wait_for(group)
        self.child.wait()
        if self.main is not None:
            os.close(self.main)
        self.folder.cleanup()

    @staticmethod
    def is_gone(group):
        """Has every program of it ended? Whoever inherits one that has may take seconds to look."""
        try:
            os.killpg(group, 0)
            return Path(f"/proc/{group}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except (ProcessLookupError, FileNotFoundError):
            return True

    def wait_for(self, group):
        """The shell may go before the program, which still writes down where it stopped."""
        patience = time.monotonic() + 5
        while time.monotonic() < patience and not self.is_gone(group):
            time.sleep(0.002)

    def resize(self, lines, columns):
        fcntl.ioctl(self.main, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen = self.SCREEN(lines, columns)

    def send(self, text):
        os.write(self.main, text.encode() if isinstance(text, str) else text)

    def paste(self, text):
        """Sends a text that is longer than what a terminal holds, and reads what comes meanwhile."""
        os.set_blocking(self.main, False)
        try:
            rest = text.encode()
            deadline = time.monotonic() + PATIENCE
            while rest:
                readable, writable, _ = select.select([self.main], [self.main], [], PATIENCE)
                if readable:
                    self.read()
                if writable:
                    rest = rest[os.write(self.main, rest[:4096]):]
                if time.monotonic() > deadline:
                    raise AssertionError(f"{len(rest)} bytes are still to be read")
        finally:
            os.set_blocking(self.main, True)

    def signal(self, number):
        group = os.tcgetpgrp(self.main)
        assert group > 0, "nobody is in the foreground"  # 0 would be the test's own group
        os.kill(group, number)

    def read(self):
        """What the program wrote next; nothing when it is over."""
        ready, _, _ = select.select([self.main], [], [], PATIENCE)
        if not ready:
            raise AssertionError("the program says nothing more:\n" + "\n".join(self.screen.rows()))
        try:
            data = os.read(self.main, 65536)
        except OSError:  # the terminal is closed
            data = b""
        text = self.decoder.decode(data)
        self.raw += text
        self.screen.feed(text)
        return text

    def until(self, *words, without=None):
        """Reads until all the words are on the screen, and `without` is not; its text. "q quit" waits for a screen that takes
        keys: what is still computed ignores them."""
        deadline = time.monotonic() + PATIENCE
        if "q quit" in words and not any("Esc stops it." in word for word in words):
            without = without or "Esc stops it."
        while True:
            shown = "\n".join(self.screen.rows())
            if all(word in shown for word in words) and not (without and without in shown):
                return shown
            if time.monotonic() > deadline or not self.read():
                raise AssertionError(f"{words} did not appear:\n{shown}")

    def after(self, key):
        """What the screen shows after the key, when what the key began is done."""
        frames = self.screen.frames
        self.send(key)
        while self.screen.frames == frames or "Esc stops it." in (shown := "\n".join(self.screen.rows())):
            if not self.read():
                raise AssertionError("the program is gone")
        return shown

    def ended(self):
        """The program's exit code, as the shell sees it."""
        while not (match := re.search(r"\[ended (\d+)\]", self.raw)):
            if not self.read():
                raise AssertionError("the shell is gone:\n" + self.raw[-500:])
        self.raw = self.raw[match.end():]
        return int(match[1])

    def settings(self, when):
        return Path(self.folder.name, when).read_text()
