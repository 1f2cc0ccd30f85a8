"""Complex tensors as text."""

import json
import re

from glassgrad import _C


def text(z):
    """As PyTorch prints it: both parts in columns of their own formats, and what is not to be seen in the numbers."""
    ending = []
    if not z.numel():
        body = "[]"
        ending += [f"size={tuple(z.shape)}"] if z.ndim != 1 else []
    else:
        body = _layout(*(_nested(part.detach()) for part in (z.real, z.imag)))
    if z.dtype.real is not _C.get_default_dtype() or not z.numel():
        ending.append(f"dtype={z.dtype}")
    if z.grad_fn is not None:
        ending.append(f"grad_fn=<{type(z.grad_fn).__name__}>")
    elif z.requires_grad:
        ending.append("requires_grad=True")
    shown = "tensor(" + body
    for word in ending:
        column = len(shown) - shown.rfind("\n") - 1
        shown += (", " if column + len(word) + 4 <= _C.get_printoptions()["linewidth"] else ",\n       ") + word
    return shown + ")"


def _nested(x):
    """The texts of the numbers, as they stand in lists of the printed tensor."""
    printed = repr(x if x.dim() else x.view(1)).removeprefix("tensor(")
    lists = json.loads(re.sub(r"[^\s\[\],]+", r'"\g<0>"', printed[:printed.rindex("]") + 1]))
    return lists if x.dim() else lists[0]


def _cells(texts):
    return [cell for text in texts for cell in _cells(text)] if isinstance(texts, list) else [texts]


def _layout(real, imag):
    widths = [max(map(len, _cells(part))) for part in (real, imag)]

    def cell(a, b):
        return " ..." if a == "..." else a.rjust(widths[0]) + (b if b[0] in "+-" else "+" + b) + "j"

    def rows(a, b, indent):
        """The lists a and b in brackets, which begin at that column, and how deep they are."""
        between = ",\n" + " " * (indent + 1)
        if isinstance(a[0], str):
            cells = list(map(cell, a, b))
            count = max(1, (_C.get_printoptions()["linewidth"] - indent) // (sum(widths) + 3))
            lines = [", ".join(cells[k:k + count]) for k in range(0, len(cells), count)]
            return "[" + between.join(lines) + "]", 1
        inner = [("...", 0) if x == "..." else rows(x, y, indent + 1) for x, y in zip(a, b)]
        depth = max(d for _, d in inner)
        return "[" + ("," + "\n" * depth + between[2:]).join(x for x, _ in inner) + "]", depth + 1

    return cell(real, imag).lstrip() if isinstance(real, str) else rows(real, imag, len("tensor("))[0]
