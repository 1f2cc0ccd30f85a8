"""A program under glass: every number that it computes, forward and backward, can be opened afterwards.

    with glassgrad.glass():
        weights = torch.softmax(queries @ keys.T, -1)
    weights.why(2, 1)       # how weights[2, 1] came about
    weights.made_by()       # the calls that computed it
    weights.used_in()       # those that read it
"""
import html
import json
import sys

from glassgrad import _C, _result_uses
from glassgrad._autograd import real_of
from glassgrad._lessons import Why

MOST_ITEMS = 100  # in a list or dict whose tensors are named by their places
NO_GLASS = (
    "no glass has seen this tensor: compute or use it inside `with glassgrad.glass():`, then ask again "
    "(a tensor that was written or made outside has nothing to open)"
)


class glass:
    """with glass(): every op of this thread is watched, and what it computes can be opened from then on.

    The tensors made inside, and this object, keep what was seen; it goes with the last of them.
    """

    def __init__(self):
        self._glass = self._frame = self._variables = None

    def __enter__(self):
        frame = sys._getframe(1)
        at_top = frame.f_locals is frame.f_globals
        return self._begin(frame.f_globals if at_top else frame, lambda: {**frame.f_globals, **frame.f_locals})

    def _begin(self, own, variables):
        if self._glass is not None:
            raise RuntimeError("this glass was used before: glassgrad.glass() makes a new one")
        self._variables = variables
        self._glass = _C.Glass(_result_uses.result_uses, own)
        self._glass.begin()
        self._name_variables()
        return self

    def __exit__(self, *error):
        self._name_variables()
        self._glass.end()
        self._variables = None

    def _name_variables(self):
        for name, tensor in tensors_of(self._variables()):
            real = real_of(tensor)
            self._glass.name(real, name if real is tensor else f"{name}.pairs")

    def __len__(self):
        """How many calls it saw."""
        return len(self._glass) if self._glass else 0

    def calls(self):
        """A line for each call."""
        return Lines("".join(self._glass.line(call) + "\n" for call in range(len(self))))

    def __repr__(self):
        return f"<glass: {len(self)} calls; x.why(i, j) opens a number of one of its tensors>"


def tensors_of(variables):
    """(name, tensor) of the program's variables, and of what lies in modules, lists and dicts among them."""
    from glassgrad import nn
    for name, value in list(variables.items()):
        if name.startswith("_") or isinstance(value, type):
            continue
        yield from inside(name, value, nn.Module, 2)


def inside(name, value, module, depth):
    if isinstance(value, _C.Tensor):
        yield name, value
    elif isinstance(value, module):
        yield from value.named_parameters(name)
        yield from value.named_buffers(name)
        for path, part in value.named_modules(prefix=name):
            yield from ((f"{path}.{key}", x) for key, x in list(vars(part).items()) if isinstance(x, _C.Tensor))
    elif isinstance(value, (list, tuple)) and depth and len(value) <= MOST_ITEMS:
        for place, item in enumerate(value):
            yield from inside(f"{name}[{place}]", item, module, depth - 1)
    elif type(value) is dict and depth and len(value) <= MOST_ITEMS:
        for key, item in list(value.items()):
            yield from inside(f"{name}[{key!r}]", item, module, depth - 1) if isinstance(key, (str, int)) else ()
    elif depth and hasattr(value, "__dict__") and not callable(value) and not isinstance(value, type(sys)):
        for key, item in list(vars(value).items()):
            if isinstance(item, (_C.Tensor, module)):
                yield from inside(f"{name}.{key}", item, module, 0)


class Lines(str):
    """Text that a prompt shows as it is."""

    def __repr__(self):
        return self.rstrip("\n")


# ---- methods of Tensor
def opened(x):
    cell = _C.find_glass(x)
    if cell is None:
        raise RuntimeError(NO_GLASS)
    return cell


def why(self, *index, depth=1, exact=False):
    """How one number of this tensor came about: x.why(2, 1). depth=2 opens what it was computed from as well.

    The tensor was computed or used inside `with glassgrad.glass():`; a gradient is a tensor like all others:
    x.grad.why(0, 3).
    """
    return explained(opened(self), place_in(self, index), depth, exact)


def place_in(x, index):
    if len(index) == 1 and isinstance(index[0], (tuple, list)):
        index = tuple(index[0])
    shape = tuple(x.shape)
    if len(index) != len(shape):
        raise IndexError(f"which number? why() takes an index for each dimension of {list(shape)}")
    for i, n in zip(index, shape):
        if not -n <= i < n:
            raise IndexError(f"{list(map(int, index))} is outside of the shape {list(shape)}")
    return [int(i) + n if i < 0 else int(i) for i, n in zip(index, shape)]


def explained(cell, place, depth=1, exact=False):
    cell = cell.at(place)
    return Opened(cell.why(depth, exact), lambda: json.loads(cell.json(depth)), cell, exact)


def made_by(self):
    """The calls that computed this tensor, a line each."""
    return Lines(opened(self).made_by())


def used_in(self):
    """The calls that read this tensor, a line each."""
    return Lines(opened(self).used_in())


class Opened(Why):
    """An opened number. A notebook shows its page, in which the numbers that it was computed from open in turn."""

    def __new__(cls, text, tree, cell, exact):
        self = super().__new__(cls, text, tree)
        self._cell, self._exact = cell, exact
        return self

    def _repr_html_(self):
        return page(self._cell, self._exact)


# ---- the page of a number: HTML that opens without a script
MOST_PAGES, MOST_LEVELS, COLUMNS = 120, 6, 100
BOX = "margin:0;padding:0;background:none;border:0;font-family:monospace;font-size:13px;line-height:1.4;white-space:pre"
SUMMARY = "display:list-item;cursor:pointer;font-family:monospace;font-size:13px"
INSIDE = "margin:2px 0 6px 8px;padding-left:12px;border-left:2px solid #8a8a8a"


def page(cell, exact=False):
    """The number's arithmetic, and below it what it was computed from, each behind its name; nearest first."""
    # Choose the pages breadth first, so that no branch takes all of them.
    pages, waiting, seen = {}, [((), cell, 1)], set()
    while waiting and len(pages) < MOST_PAGES:
        path, at, level = waiting.pop(0)
        name = at.name
        if name in seen:
            continue
        seen.add(name)
        pages[path] = at
        if level < MOST_LEVELS:
            waiting += [((*path, k), part, level + 1) for k, part in enumerate(at.reads())]
    return f'<div style="overflow-x:auto">{written(pages, (), exact)}</div>'


def written(pages, path, exact):
    cell = pages[path]
    lines = "\n".join("".join(html.escape(text) for text, _ in line) for line in cell.lines(exact, COLUMNS))
    inner = []
    for k, part in enumerate(cell.reads()):
        name, value = html.escape(part.name), html.escape(part.value.strip())
        if (*path, k) in pages and not part.is_origin:
            body = written(pages, (*path, k), exact)
            summary = f'<summary style="{SUMMARY}">{name} = {value}</summary>'
            inner.append(f'<details>{summary}<div style="{INSIDE}">{body}</div></details>')
    return f'<pre style="{BOX}">{lines}</pre>' + "".join(inner)


# ---- %%glass
def load_ipython_extension(ipython):
    """%load_ext glassgrad: %%glass runs its cell under glass."""
    ipython.register_magic_function(cell_under_glass(ipython), "cell", "glass")


def cell_under_glass(ipython):
    def run(line, cell):
        """%%glass: runs the cell under glass; afterwards x.why(2, 1) opens a number of a tensor x."""
        watched = glass()
        watched._begin(ipython.user_ns, lambda: ipython.user_ns)
        try:
            ipython.run_cell("#\n" + cell)  # an added line, to count lines as in the notebook
        finally:
            watched.__exit__()
        print(f"{len(watched)} calls under glass; x.why(i, j) opens a number of a tensor x")

    return run


def attach(tensor):
    for method in (why, made_by, used_in):
        method.__qualname__ = f"Tensor.{method.__name__}"
        setattr(tensor, method.__name__, method)
