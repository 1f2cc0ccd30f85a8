"""Runs the PyTorch programs of the committed cases and compares what they print with the expected texts.

  python3 regenerate.py [--write] [GROUP ...]

Needs PyTorch 2.6 (CPU). One thread and the AVX2 kernels: sums and softmax are added up in another order elsewhere.
--write replaces the expected texts, also those that are still missing (null).
"""

import contextlib
import io
import json
import os
import pathlib
import sys

os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch  # noqa: E402  (reads the environment when it is imported)

PRELUDE = """import math, torch
import torch.nn as nn
import torch.nn.functional as F
from math import inf, nan
"""
HERE = pathlib.Path(__file__).resolve().parent


def run(program):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(PRELUDE + program, {"__name__": "case"})
    torch.set_printoptions(profile="default")
    return printed.getvalue()


def main():
    write = "--write" in sys.argv
    groups = [a for a in sys.argv[1:] if a != "--write"] or sorted(p.stem for p in HERE.glob("*.json"))
    different = 0
    for group in groups:
        path = HERE / f"{group}.json"
        cases = json.loads(path.read_text(encoding="utf-8"))
        for case in cases:
            text = run(case["py"])
            if text != case["stdout"]:
                different += 1
                print(f"{case['id']}:\n--- expected\n{case['stdout']}--- {torch.__version__} prints\n{text}")
                case["stdout"] = text
        if write:
            lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
            path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{different} cases differ from PyTorch {torch.__version__}")
    sys.exit(different > 0 and not write)


if __name__ == "__main__":
    main()
