"""Golden cases with other numbers: sizes, seeds, dimensions, in range and out of it, and what PyTorch prints for them.

  python3 vary.py OUT.json [SEED [TIMES]]      needs PyTorch 2.6 (CPU)
  python3 ../python/test_public.py OUT.json    compares the Python module with it

A whole number becomes another one, the same everywhere in its case, so that most shapes still fit and some do not.
"""

import contextlib
import io
import json
import pathlib
import random
import re
import sys

import regenerate  # sets up PyTorch
import torch

HERE = pathlib.Path(__file__).resolve().parent
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")


def other(number, draw):
    if number > 1000:
        return draw.randint(0, 100000)
    if number >= 10:
        return max(1, number + draw.choice([-3, -1, 1, 2, 7, 9]))
    if number <= 2 and draw.random() < 0.85:
        return number  # usually a dimension or a flag
    return draw.choice([n for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 17) if n != number])


def varied(program, draw):
    chosen = {}
    return NUMBER.sub(lambda m: str(chosen.setdefault(m[0], other(int(m[0]), draw))), program)


def printed(program):
    """What it prints, and of one that stops the error, as test_public.py has it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(regenerate.PRELUDE + program, {"__name__": "case"})
        except Exception as error:
            print(f"stopped by {type(error).__name__}: {error}")
    torch.set_printoptions(profile="default")
    torch.set_default_dtype(torch.float32)
    return out.getvalue()


def main():
    out, seed, times = sys.argv[1], int((sys.argv + [0])[2]), int((sys.argv[3:] + [1])[0])
    draw, cases = random.Random(seed), []
    for path in sorted(HERE.glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            if "stdout" not in case or path.stem == "gpt":
                continue
            for i in range(times):
                program = varied(case["py"], draw)
                cases.append({"id": f"{case['id']}.{i}", "group": path.stem, "py": program, "stdout": printed(program)})
    pathlib.Path(out).write_text(json.dumps(cases, indent=0), encoding="utf-8")
    print(f"{len(cases)} cases in {out}")


main()
