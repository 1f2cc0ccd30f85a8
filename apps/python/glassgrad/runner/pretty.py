"""What a notebook shows for the last expression of a cell: repr, with containers broken into lines like IPython's."""
import collections
import inspect
import types

WIDTH = 79
MOST_ITEMS = 1000
CONTAINERS = {list: ("[", "]"), tuple: ("(", ")"), dict: ("{", "}"), set: ("{", "}"), frozenset: ("frozenset({", "})")}


def pretty(value):
    page = Page()
    write(page, value, ())
    page.flush()
    return "".join(page.lines)


class Group:
    """What stands between two brackets: all of its breaks become new lines, or none."""

    def __init__(self, depth):
        self.depth, self.breaks, self.broken = depth, 0, False


class Break:
    def __init__(self, text, group, indent):
        self.text, self.group, self.indent = text, group, indent


class Page:
    """Text that is held back until it is known which of its breaks become new lines: those of outer groups first."""

    def __init__(self):
        self.lines, self.column = [], 0
        self.held, self.held_width = collections.deque(), 0  # str or Break
        self.stack, self.indent = [Group(0)], 0
        self.open_groups = [self.stack[0]]

    def text(self, text):
        if self.held:
            self.held.append(text)
            self.held_width += len(text)
            self.fit()
        else:
            self.put(text)

    def put(self, text):
        self.lines.append(text)
        self.column += len(text)

    def begin(self, bracket):
        self.text(bracket)
        self.stack.append(Group(len(self.stack)))
        self.open_groups.append(self.stack[-1])
        self.indent += len(bracket)

    def end(self, bracket, width):
        self.indent -= width
        group = self.stack.pop()
        if not group.breaks and group in self.open_groups:
            self.open_groups.remove(group)
        self.text(bracket)

    def may_break(self):
        group = self.stack[-1]
        if group.broken:
            self.flush()
            self.new_line(self.indent)
        else:
            self.held.append(Break(" ", group, self.indent))
            group.breaks += 1
            self.held_width += 1
            self.fit()

    def must_break(self):
        group = self.outermost()
        if group:
            self.break_group(group)
        self.flush()
        self.new_line(self.indent)

    def new_line(self, indent):
        self.lines.append("\n" + " " * indent)
        self.column = indent

    def fit(self):
        while self.column + self.held_width > WIDTH:
            group = self.outermost()
            if group is None:
                return
            self.break_group(group)

    def outermost(self):
        """The next group to break: of the least depth, the one begun last. Those around it that hold no break are
        broken from now on."""
        for depth in sorted({g.depth for g in self.open_groups}):
            level = [g for g in self.open_groups if g.depth == depth]
            for number, group in enumerate(reversed(level)):
                if group.breaks:
                    group.broken = True
                    self.open_groups.remove(level[number])  # the wrong index, to match IPython's output
                    return group
            for group in level:
                group.broken = True
                self.open_groups.remove(group)
        return None

    def break_group(self, group):
        while group.breaks:
            self.release()
        while self.held and isinstance(self.held[0], str):
            self.release()

    def release(self):
        item = self.held.popleft()
        if isinstance(item, str):
            self.held_width -= len(item)
            return self.put(item)
        self.held_width -= len(item.text)
        item.group.breaks -= 1
        if item.group.broken:
            self.new_line(item.indent)
        else:
            self.put(item.text)
            if not item.group.breaks and item.group in self.open_groups:
                self.open_groups.remove(item.group)

    def flush(self):
        while self.held:
            self.release()


def write(page, value, around):
    """around: the containers that value lies in, by identity: one that holds itself ends in dots."""
    kind = type(value)
    inside = (*around, id(value))
    if kind in CONTAINERS and kind.__repr__ in (list.__repr__, tuple.__repr__, dict.__repr__, set.__repr__,
                                                frozenset.__repr__):
        opening, closing = CONTAINERS[kind]
        if id(value) in around:
            page.text(f"{opening}...{closing}")
        elif kind is dict:
            write_items(page, opening, closing, value.items(), lambda item: write_pair(page, item, inside))
        elif not value and kind in (set, frozenset):
            page.text(repr(value))
        else:
            items = value if kind in (list, tuple) else in_order(value)
            closing = ",)" if kind is tuple and len(value) == 1 else closing
            write_items(page, opening, closing, items, lambda item: write(page, item, inside))
    elif kind is collections.OrderedDict:
        write_call(page, "OrderedDict", [list(value.items())] if value else [], around)
    elif isinstance(value, type):
        page.text(full_name(value))
    elif isinstance(value, (types.FunctionType, types.BuiltinFunctionType)):
        page.text(f"<function {full_name(value)}{signature(value)}>")
    else:
        write_lines(page, repr(value))


def write_items(page, opening, closing, items, write_one):
    page.begin(opening)
    for number, item in enumerate(items):
        if number:
            page.text(",")
            page.may_break()
        if number == MOST_ITEMS:
            page.text("...")
            break
        write_one(item)
    page.end(closing, len(opening))


def write_pair(page, pair, around):
    write(page, pair[0], around)
    page.text(": ")
    write(page, pair[1], around)


def write_call(page, name, arguments, around):
    write_items(page, f"{name}(", ")", arguments, lambda item: write(page, item, around))


def write_lines(page, text):
    page.begin("")
    for number, line in enumerate(text.splitlines()):
        if number:
            page.must_break()
        page.text(line)
    page.end("", 0)


def in_order(items):
    try:
        return sorted(items)
    except TypeError:
        return list(items)


def full_name(value):
    module = value.__module__
    return value.__qualname__ if module in (None, "builtins") else f"{module}.{value.__qualname__}"


def signature(function):
    try:
        return str(inspect.signature(function))
    except ValueError:  # some functions in C have none
        return ""
