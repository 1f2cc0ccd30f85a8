"""The golden cases, as the Python programs they were recorded from: what PyTorch printed, glassgrad prints.

`python3 test_public.py FILE.json` runs the cases of another file.
"""
import collections
import contextlib
import io
import json
import pathlib
import sys
import unittest

from module import GOLDEN, PRELUDE, difference
from glassgrad.runner.serve import serve_as_torch

serve_as_torch()
import torch  # noqa: E402  (it is glassgrad from here on)

# Cases that cannot be the same, with the reason.
DIFFERENT = {}


def printed(program):
    """What the program prints; of one that stops, the error as its last line."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            exec(PRELUDE + program, {"__name__": "case"})
        except Exception as error:
            print(f"stopped by {type(error).__name__}: {error}")
    torch.set_printoptions(profile="default")
    torch.set_default_dtype(torch.float32)
    return out.getvalue()


def run_cases(cases):
    """(groups with the number of their cases and of those that match, a line for each that does not)"""
    counts, lines = collections.defaultdict(lambda: [0, 0]), []
    for case in cases:
        group = case.get("group") or case["id"].rpartition("-")[0]
        text = printed(case["py"])
        counts[group][0] += 1
        if text == case["stdout"]:
            counts[group][1] += 1
            if case["id"] in DIFFERENT:
                lines.append(f"{case['id']} matches after all: strike it out")
        elif case["id"] not in DIFFERENT:
            lines.append(f"{case['id']}: {difference(case['stdout'], text)}")
    return counts, lines


def show(counts):
    width = max(map(len, counts))
    for group, (cases, matching) in sorted(counts.items()):
        print(f"{group:{width}}  {matching:3} of {cases:3}")
    print(f"{'all':{width}}  {sum(m for _, m in counts.values()):3} of {sum(n for n, _ in counts.values()):3}")


class PublicCases(unittest.TestCase):
    def test_golden_cases(self):
        sys.path.insert(0, str(GOLDEN))  # programs of the group gpt import gpt.py from there
        cases = [case for path in sorted(GOLDEN.glob("*.json")) for case in json.loads(path.read_text("utf-8"))
                 if "stdout" in case]  # other cases have different forms and their own tests
        self.assertGreater(len(cases), 300)
        counts, lines = run_cases(cases)
        show(counts)
        self.assertEqual(lines, [], "\n" + "\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].endswith(".json"):
        sys.path.insert(0, str(GOLDEN))
        found, differing = run_cases(json.loads(pathlib.Path(sys.argv[1]).read_text("utf-8")))
        print("\n".join(differing))
        show(found)
    else:
        unittest.main()
