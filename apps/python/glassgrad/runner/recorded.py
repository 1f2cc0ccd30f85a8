"""What cells print beside what their notebook recorded."""
import difflib
import re

MOST_LINES = 24  # of one cell's differences
# Text that differs between runs or machines: (its kind, where it can stand, the part that is left out).
VOLATILE = [
    ("a version", re.compile(r"version", re.I), re.compile(r"\d+(\.\d+)+[\w.+-]*")),
    ("a version", re.compile(r"^'?\d+\.\d+\.\d+[\w.+-]*'?$"), re.compile(r"\d[\w.+-]*")),
    ("a time", re.compile(r""), re.compile(r"(?i)(?<=time|took)\W{1,3}\d+(\.\d+)?|\b\d+(\.\d+)?(?=\s?\w+/s(ec)?\b)")),
    ("a time", re.compile(r""), re.compile(r"\b\d+(\.\d+)?\s?(ns|µs|μs|us|ms|s|sec|secs|seconds?|minutes?|min)\b")),
    ("an address", re.compile(r""), re.compile(r"\b0x[0-9a-fA-F]{4,}\b")),
]


class Difference:
    """How a cell's output differs from the recorded one; false where it does not, with what was allowed for."""

    def __init__(self, lines=(), allowed=()):
        self.lines, self.allowed = list(lines), set(allowed)

    def __bool__(self):
        return bool(self.lines)


def compare(cell, ran):
    """cell: as recorded; ran: what it has printed, shown and raised now."""
    allowed, lines = set(), []
    raised = ran.error and (type(ran.error).__name__, first_line(ran.error))
    recorded = cell.error and (cell.error[0], cell.error[1].strip().partition("\n")[0])
    if raised != recorded:
        lines += [f"- raised {': '.join(recorded)}"] if recorded else []
        lines += [f"+ raised {': '.join(raised)}"] if raised else []
    for was, now in (cell.printed, ran.printed), (cell.shown, ran.shown):
        if raised and not recorded and was.startswith(now):
            continue  # the error says why the rest is missing
        lines += differing_lines(was.splitlines(), now.splitlines(), allowed)
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"  … and {len(lines) - MOST_LINES} lines more"]
    return Difference(lines, allowed)


def first_line(error):
    return str(error).strip().partition("\n")[0]


def differing_lines(was, now, allowed):
    """The lines of a diff; `allowed` gets what lines that count as equal differ in."""
    lines = []
    for tag, i, i_end, j, j_end in difflib.SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        old, new = was[i:i_end], now[j:j_end]
        whats = [volatile(a, b) for a, b in zip(old, new)] if len(old) == len(new) else [None]
        if all(whats):
            allowed.update(whats)
        else:
            lines += [f"- {line}" for line in old] + [f"+ {line}" for line in new]
    return lines


def volatile(was, now):
    """What the lines differ in, if it is nothing but that; else None."""
    for what, where, left_out in VOLATILE:
        if where.search(was) and where.search(now) and left_out.sub("…", was) == left_out.sub("…", now):
            return what
    return None
