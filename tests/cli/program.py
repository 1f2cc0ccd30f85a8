"""Runs the program under test, which ctest names in the environment."""
import os
import pathlib
import re
import signal
import subprocess

PROGRAM = os.environ["GLASSGRAD"]
SANITIZED = bool(os.environ.get("SANITIZERS"))  # the program is ten times slower
PATIENCE = 240  # seconds; reached only when a test fails


def one_in(n):
    """Tests of many lessons try one in n, or every one if GLASSGRAD_THOROUGH is set, as in `make test-long`."""
    return 1 if os.environ.get("GLASSGRAD_THOROUGH") else n


# A parent such as nohup may ignore these signals; start the program as a shell would.
for number in signal.SIGINT, signal.SIGHUP, signal.SIGTERM:
    signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
TESTS = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = TESTS / "golden"
ROOT = TESTS.parent


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr


def glassgrad(*arguments, **options):
    """The finished run of `glassgrad ARGUMENTS`: code, out, err (text)."""
    options = {"timeout": PATIENCE, "stderr": subprocess.PIPE} | options
    return Result(subprocess.run([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 text=True, **options))


def learn(*arguments, lesson="journey", **options):
    return glassgrad("learn", lesson, *arguments, **options)


def listed(text):
    """The lessons that `glassgrad docs` lists: (name, minutes, title and what one will understand)."""
    return [(name, minutes, " ".join(lines.split()))
            for name, minutes, lines in re.findall(r"^  (\S+) +(\d+) minutes\n((?: {23}.*\n)+)", text, re.M)]


def golden_of(lesson):
    """What PyTorch prints for a lesson; empty where it has nothing to print."""
    for path in GOLDEN / f"{lesson}.txt", GOLDEN / "lessons" / f"{lesson}.txt":
        if path.exists():
            return path.read_text()
    return ""


def write_npy(path, values, descr="<f4", fortran=False, shape=None, version=1, header=None, body=None):
    """A .npy file by hand: the program's reader is not tested with its own writer."""
    import struct
    code = {"4": "f", "8": "d"}[descr[-1]] if descr[1] == "f" else {"4": "i", "8": "q"}[descr[-1]]
    flat = [v for row in values for v in row] if values and isinstance(values[0], (list, tuple)) else list(values)
    shape = shape if shape is not None else (len(values), len(values[0]))
    text = header if header is not None else f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    length = struct.Struct("<H" if version == 1 else "<I")
    text += " " * (-(len(text) + 1 + 8 + length.size) % 64) + "\n"
    data = body if body is not None else struct.pack(f"{descr[0]}{len(flat)}{code}", *flat)
    path.write_bytes(b"\x93NUMPY" + bytes([version, 0]) + length.pack(len(text)) + text.encode() + data)
    return path
