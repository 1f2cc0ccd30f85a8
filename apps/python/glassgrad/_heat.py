"""A tensor in a notebook: a table with the numbers as print shows them, on a ground that grows with their size."""
import html
import itertools
import math

from glassgrad import _C

NEGATIVE, ZERO, POSITIVE = (253, 174, 97), (255, 255, 255), (116, 173, 209)  # safe for colour-blind readers
OTHER = (224, 224, 224)  # inf and nan have no size to show
INK = "#111"  # contrast of at least 7:1 on all these colours
CELL = "text-align:right;padding:1px 6px;font-family:monospace;white-space:pre;border:0;"
HEAD = "text-align:right;padding:1px 6px;font-weight:normal;font-size:80%;opacity:0.75;border:0;"
MOST_MATRICES = 8
GAP = None  # marks left-out elements


def heat_table(x):
    """HTML of a tensor. What its repr leaves out is left out here, too."""
    shape = tuple(x.shape)
    ranges = shown(shape)
    leading = list(itertools.product(*ranges[:-2]))
    tables = [table(x, shape, before, ranges) for before in leading[:MOST_MATRICES]] if all(shape) else []
    if len(leading) > MOST_MATRICES:
        tables.append(f"<div>… {len(leading) - MOST_MATRICES} more</div>")
    return f'<div style="overflow-x:auto">{"".join(tables)}<div style="{HEAD}text-align:left">{notes(x)}</div></div>'


def shown(shape):
    """For each dimension the indices to show, with GAP where repr writes dots."""
    threshold, edge = _C.print_limits()
    cut = math.prod(shape) > threshold
    return [[*range(edge), GAP, *range(n - edge, n)] if cut and n > 2 * edge else list(range(n)) for n in shape]


def table(x, shape, before, ranges):
    """One matrix: a vector is a row, a number a single cell."""
    if GAP in before:
        return "<div>⋮</div>"
    rows = ranges[-2] if len(shape) > 1 else [0]
    columns = ranges[-1] if shape else [0]
    cells = read(x, shape, before, [r for r in rows if r is not GAP], [c for c in columns if c is not GAP])
    largest = max((abs(value) for _, value in cells.values() if math.isfinite(value)), default=0)
    corner = '<td style="border:0"></td>' if len(shape) > 1 else ""
    head = "".join(header(c, "col") for c in columns)
    lines = [f"<tr>{corner}{head}</tr>"] if shape else []
    for row in rows:
        cell = [gap() if GAP in (row, c) else data(*cells[row, c], largest) for c in columns]
        lines.append(f"<tr>{header(row, 'row') if len(shape) > 1 else ''}{''.join(cell)}</tr>")
    title = f'<caption style="{HEAD}text-align:left">[{", ".join(map(str, before))}]</caption>' if before else ""
    return f'<table style="border-collapse:collapse;margin:4px 0">{title}{"".join(lines)}</table>'


def read(x, shape, before, rows, columns):
    """{(row, column): (text, value)}"""
    places = list(itertools.product(rows, columns))
    first = 0
    for index, size in zip(before, shape):
        first = first * size + index
    height, width = (shape[-2] if len(shape) > 1 else 1), (shape[-1] if shape else 1)
    which = [(first * height + row) * width + column for row, column in places]
    return dict(zip(places, _C.elements(x, which)))


def header(index, scope):
    return f'<th scope="{scope}" style="{HEAD}">{"…" if index is GAP else index}</th>'


def gap():
    return f'<td style="{CELL}">…</td>'


def data(text, value, largest):
    red, green, blue = ground(value, largest)
    return f'<td style="{CELL}color:{INK};background:#{red:02x}{green:02x}{blue:02x}">{html.escape(text.strip())}</td>'


def ground(value, largest):
    if not math.isfinite(value):
        return OTHER
    end = POSITIVE if value >= 0 else NEGATIVE
    share = abs(value) / largest if largest else 0
    return tuple(round(zero + share * (full - zero)) for zero, full in zip(ZERO, end))


def notes(x):
    """"[6, 2]  torch.float32  grad_fn=<MmBackward0>"."""
    parts = [str(list(x.shape)), str(x.dtype)]
    if x.grad_fn is not None:
        parts.append(f"grad_fn=&lt;{x.grad_fn.name()}&gt;")
    elif x.requires_grad:
        parts.append("requires_grad=True")
    return " ".join(parts)
