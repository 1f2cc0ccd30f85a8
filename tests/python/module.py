"""Runs `python3 -m glassgrad` as a person does. ctest puts the module on PYTHONPATH."""
import os
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = TESTS / "golden"
# Programs of other authors, which are not part of the project. Without the folder, their tests are skipped.
SHARED = pathlib.Path(os.environ.get("GLASSGRAD_SHARED", TESTS.parent.parent / "shared"))
PRELUDE = """import math, torch
import torch.nn as nn
import torch.nn.functional as F
from math import inf, nan
"""


def glassgrad(*arguments, **options):
    """The finished run of `python3 -m glassgrad ARGUMENTS`: returncode, stdout, stderr (text)."""
    options = {"timeout": 120, "cwd": "/", "stdin": subprocess.DEVNULL} | options
    return subprocess.run([sys.executable, "-m", "glassgrad", *map(str, arguments)], capture_output=True, text=True,
                          **options)


def difference(was, now):
    """The first line that differs, with what stands there."""
    for number, (a, b) in enumerate(zip(was.splitlines() + [""], now.splitlines() + [""]), 1):
        if a != b:
            return f"line {number}: expected {a!r}, printed {b!r}"
    return f"expected {len(was)} characters, printed {len(now)}"
