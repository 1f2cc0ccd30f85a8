"""Where did that come from? The questions that go through a whole program: trace_nan, leak_test, shapes, compare."""
import contextlib
import difflib

from glassgrad import _C
from glassgrad._glass import Lines, glass, opened


def seen(program, args, variables):
    """(what the program gives, the glass that watched it)"""
    watched = glass()
    watched._begin(None, lambda: variables)
    try:
        return program(*args), watched
    finally:
        watched.__exit__()


def arguments(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def first_tensor(result):
    """The tensor in what a model gives: itself, or the first of a tuple, list or dict."""
    if isinstance(result, _C.Tensor):
        return result
    parts = result.values() if isinstance(result, dict) else result if isinstance(result, (tuple, list)) else ()
    return next((found for found in map(first_tensor, parts) if found is not None), None)


@contextlib.contextmanager
def as_it_was(model):
    """Every run draws the same numbers, in evaluation mode; afterwards all is as it was."""
    from glassgrad import nn
    modules = list(model.modules()) if isinstance(model, nn.Module) else []
    modes = [module.training for module in modules]
    state = _C.default_generator.get_state()
    if modules:
        model.eval()
    try:
        yield lambda: _C.default_generator.set_state(state)
    finally:
        for module, mode in zip(modules, modes):
            module.training = mode
        _C.default_generator.set_state(state)


# ---- nan and inf
def trace_nan(x):
    """Where a nan of x, or an inf if it has none, began: the first call that made one, opened, and the way to x.

    x was computed inside `with glassgrad.glass():`. What was infinite before, as a mask of -inf, is followed only if
    it led to the nan.
    """
    cell = opened(x)
    found = cell.first_non_finite()
    if found is None:
        return Lines(f"all numbers of {cell.names[0]} are finite\n")
    kind, number = found
    trail = number.non_finite_trail()
    text = f"{number.name} is {kind}. " + began(trail[0], kind)
    if len(trail) > 1:
        text += "\non its way:\n" + way(trail)
    infinite = next((part for part in trail[0].reads() if "inf" in part.value), None) if kind == "nan" else None
    if infinite is not None:
        source = infinite.non_finite_trail()
        text += f"\n{infinite.name} is {infinite.value.strip()}. " + began(source[0], infinite.value.strip())
    return Lines(text)


def began(cell, kind):
    made = cell.made_in
    if not made:
        return f"It was given: {cell.name} is {kind} before any call under this glass.\n"
    return f"The first call that made one is {made}:\n\n{cell.why(1, False)}"


MOST_OF_A_WAY = 20


def way(trail):
    lines = [f"  {cell.name} = {cell.value.strip()}" + (f", by {cell.made_in}" if cell.made_in else ", given")
             for cell in trail]
    if len(lines) > MOST_OF_A_WAY:
        half = MOST_OF_A_WAY // 2
        lines[half:-half] = [f"  … {len(lines) - 2 * half} more"]
    return "\n".join(lines) + "\n"


# ---- does the past see the future?
def leak_test(model, x, dim=None):
    """Does an output depend on a later token? Changes the tokens of x one at a time and compares the outputs before it.

    model(x) gives a tensor, or a tuple whose first tensor counts, with a place for each token. dim: the dimension of x
    that counts the tokens; without it dimension 1, of one row of tokens 0. A causal mask that does nothing is found so,
    and the op through which the later token came is opened.
    """
    tokens = token_dimension(x) if dim is None else dim % x.dim()
    n = x.shape[tokens]
    from glassgrad import no_grad
    with as_it_was(model) as rewind, no_grad():
        def run(values):
            rewind()
            out = first_tensor(model(values))
            return by_token(out, x, tokens)

        before = run(x)
        leaks = []
        for t in range(1, n):
            moved = moves(before, run(changed(x, tokens, t)), t)
            if moved:
                leaks.append((t, moved))
        if not leaks:
            return Lines(f"no leak: changing any of the tokens 1 to {n - 1} moves no output before it\n")
        return Lines(told_leaks(leaks, n) + through(model, x, tokens, leaks[0], rewind))


def token_dimension(x):
    return 0 if x.dim() == 1 or (x.dim() == 2 and x.is_floating_point()) else 1


def changed(x, dim, t):
    """x with a different token number t, in all rows."""
    y = x.clone()
    part = y.narrow(dim, t, 1)
    if x.is_floating_point():
        part.add_(1)
    else:
        largest = int(x.max())
        part.copy_((part + 1) % (largest + 1) if largest else part + 1)
    return y


def by_token(out, x, dim):
    """The outputs of each token: a list of tensors."""
    n = x.shape[dim]
    if out is None:
        raise TypeError("leak_test: the model gives no tensor; give a function that does: lambda x: model(x)[0]")
    if x.dim() > 1 and dim == 1 and out.dim() and out.shape[0] == x.shape[0] * n and out.shape[:2] != x.shape[:2]:
        out = out.view(x.shape[0], n, *out.shape[1:])
    first = 1 if dim == 1 else 0
    place = next((d for d in range(min(first, out.dim()), out.dim()) if out.shape[d] == n), None)
    if place is None:
        raise ValueError(f"leak_test: no dimension of the output, of shape {list(out.shape)}, has a place for each of "
                         f"the {n} tokens; give a function whose result has one: lambda x: model(x, targets)[0]")
    return list(out.unbind(place))


def moves(before, after, t):
    return [(i, largest_change(before[i], after[i])) for i in range(t) if not same(before[i], after[i])]


def same(a, b):
    return bool(((a == b) | ((a != a) & (b != b))).all())


def largest_change(a, b):
    return float((a - b).abs().max())


def told_leaks(leaks, n):
    lines = [f"leak: changing token {t} moves output{'s' if len(moved) > 1 else ''} "
             f"{', '.join(str(i) for i, _ in moved)}, by at most {max(change for _, change in moved):.4g}"
             for t, moved in leaks]
    if len(lines) > 8:
        lines[4:-4] = [f"… {len(lines) - 8} more tokens of {n}"]
    return "\n".join(lines) + "\n"


def through(model, x, dim, leak, rewind):
    """The way of the first leak: the op whose result no longer belongs to the later token, opened."""
    t, moved = leak
    rewind()
    before, watched = seen(model, (x,), {"x": x})
    rewind()
    after, again = seen(model, (changed(x, dim, t),), {"x": x})
    out, other = first_tensor(before), first_tensor(after)
    n = x.shape[dim]
    cell = first_difference(watched, out, other, lambda i: place_of(i, out, x, dim) == moved[0][0])

    def is_later(number):
        return any(size == n and i == t for size, i in zip(number.shape, number.index)) or \
            any(size == n * x.shape[0] and i % n == t for size, i in zip(number.shape, number.index))

    trail = changed_trail(cell, again._glass, is_later) if cell else []
    if len(trail) < 2:
        return ""
    at = next((k for k, number in enumerate(trail) if k and not is_later(number)), len(trail) - 1)
    return (f"\ntoken {t} comes to output {moved[0][0]} through {trail[at].made_in}: {trail[at].name} is computed from "
            f"{trail[at - 1].name}\n\n{trail[at].why(1, False)}\nthe whole way:\n{way(trail)}")


def changed_trail(cell, again, prefer):
    """The numbers that lead from the first difference to this one; empty if the runs called different ops."""
    trail = [cell]
    while changed := trail[0].changed_operands(again):
        trail.insert(0, next(filter(prefer, changed), changed[0]))
    return [] if changed is None else trail


def place_of(index, out, x, dim):
    n = x.shape[dim]
    if x.dim() > 1 and dim == 1 and out.shape[0] == x.shape[0] * n and out.shape[:2] != x.shape[:2]:
        return index[0] % n
    first = 1 if dim == 1 else 0
    return index[next(d for d in range(min(first, out.dim()), out.dim()) if out.shape[d] == n)]


def first_difference(watched, a, b, counts=lambda index: True):
    """The cell of a, as the glass saw it, that differs from b first."""
    differs = ((a != b) & ((a == a) | (b == b))).nonzero().tolist()
    index = next((i for i in differs if counts(i)), None)
    cell = watched._glass.find(a)
    return None if index is None else cell.at(index)


# ---- the calls of a model
def shapes(model, x):
    """A line for each call of model(x): the op, its module, the names and shapes of what it gives and reads.

    x: a tensor, or a tuple of the arguments.
    """
    args = arguments(x)
    names = {"x" if len(args) == 1 else f"x[{k}]": arg for k, arg in enumerate(args)}
    _, watched = seen(model, args, names)
    return watched.calls()


# ---- comparing two programs
def compare(f, g, x, atol=0.0):
    """Runs f(x) and g(x) with the same random numbers: the first value that differs, opened on both sides.

    x: a tensor, or a tuple of the arguments. Values are paired by their names where both programs give the same name to
    a value of the same shape, else by their ops in order. atol: differences up to this do not count.
    """
    args = arguments(x)
    names = {"x" if len(args) == 1 else f"x[{k}]": arg for k, arg in enumerate(args)}
    state = _C.default_generator.get_state()
    ours, a = seen(f, args, names)
    _C.default_generator.set_state(state)
    theirs, b = seen(g, args, names)
    left, right = values_of(a), values_of(b)
    common = {value.key for value in left if value.named} & {value.key for value in right if value.named}
    keys = [[value.key if value.key in common else value.op for value in side] for side in (left, right)]
    same_before = 0
    for block in difflib.SequenceMatcher(None, *keys, autojunk=False).get_matching_blocks():
        for k in range(block.size):
            one, other = left[block.a + k], right[block.b + k]
            index = differing(one.tensor, other.tensor, atol)
            if index is not None:
                return Lines(told_difference(one, other, index, same_before))
            same_before += 1
    return Lines(about_results(first_tensor(ours), first_tensor(theirs), atol, same_before, a, b))


class Value:
    def __init__(self, watched, call, described):
        name, shape, dtype, _ = described["outputs"][0]
        self.cell = watched._glass.result(call, 0)
        self.op = (described["op"], tuple(shape), dtype)
        self.named = not name.startswith(described["op"] + " ")
        self.key = (name, tuple(shape), dtype)
        self.made_in = described["name"] + (f" in {described['path']}" if described["path"] else "")

    @property
    def tensor(self):
        return self.cell.tensor


def values_of(watched):
    calls = ((call, watched._glass.call(call)) for call in range(len(watched)))
    return [Value(watched, call, described) for call, described in calls
            if any(described["outputs"][:1]) and not described["is_view"] and not described["backward"]]


def differing(a, b, atol):
    """The index of the first element that differs, or None."""
    if not a.is_floating_point():
        apart = a != b
    else:
        apart = ((a - b).abs() > atol) | ((a != a) != (b != b))
        apart = apart & ~(a == b)
    found = apart.nonzero().tolist()
    return found[0] if found else None


def told_difference(one, other, index, same_before):
    first, second = one.cell.at(index), other.cell.at(index)
    before = f"the first {same_before} values are" if same_before > 1 else f"the first value is" if same_before else ""
    return (f"{before + ' the same; then ' if before else ''}{first.name} is {first.value.strip()} and "
            f"{second.name} is {second.value.strip()}\n\nfirst program, {one.made_in}:\n{first.why(1, False)}\n"
            f"second program, {other.made_in}:\n{second.why(1, False)}")


def about_results(a, b, atol, same_before, first, second):
    if a is None or b is None:
        return f"{same_before} values are the same; the programs give no tensors\n"
    if tuple(a.shape) != tuple(b.shape):
        return f"{same_before} values are the same; the results have the shapes {list(a.shape)} and {list(b.shape)}\n"
    index = differing(a, b, atol)
    if index is None:
        return f"no difference: the results are the same, and so are {same_before} values on the way\n"
    sides = [(w._glass.find(x).at(index)) for w, x in ((first, a), (second, b))]
    values = f"{sides[0].value.strip()} and {sides[1].value.strip()}"
    return (f"no value on the way can be paired; the results differ: {values}\n\n"
            f"first program:\n{sides[0].why(1, False)}\nsecond program:\n{sides[1].why(1, False)}")
