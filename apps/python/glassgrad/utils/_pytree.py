"""Nested lists, tuples and dicts as a row of leaves and back (torch.utils._pytree)."""

from collections import OrderedDict, defaultdict, deque

from glassgrad._names import missing


class TreeSpec:
    """How a tree is built: its type, what else that needs, and its children's specs. A leaf has no type."""

    def __init__(self, type=None, context=None, children_specs=()):
        self.type, self.context, self.children_specs = type, context, list(children_specs)
        self.num_leaves = sum(child.num_leaves for child in self.children_specs) if type else 1

    def is_leaf(self):
        return self.type is None

    def __eq__(self, other):
        return isinstance(other, TreeSpec) and vars(self) == vars(other)

    def __repr__(self):
        if self.is_leaf():
            return "*"
        return f"TreeSpec({self.type.__name__}, {self.context}, [{', '.join(map(repr, self.children_specs))}])"


def _parts(tree):
    """(type, context, children); None where the tree is a leaf."""
    kind = type(tree)
    if kind in (dict, OrderedDict):
        return kind, list(tree), list(tree.values())
    if kind is defaultdict:
        return kind, (tree.default_factory, list(tree)), list(tree.values())
    if kind in (list, tuple, deque):
        return kind, tree.maxlen if kind is deque else None, list(tree)
    if isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return kind, kind, list(tree)
    return None


def _built(spec, children):
    if spec.type in (dict, OrderedDict):
        return spec.type(zip(spec.context, children))
    if spec.type is defaultdict:
        return defaultdict(spec.context[0], zip(spec.context[1], children))
    if spec.type is deque:
        return deque(children, maxlen=spec.context)
    return spec.type(*children) if spec.context is spec.type else spec.type(children)


def tree_flatten(tree, is_leaf=None):
    """(the leaves from left to right, the spec that tree_unflatten needs)."""
    parts = None if is_leaf and is_leaf(tree) else _parts(tree)
    if parts is None:
        return [tree], TreeSpec()
    leaves, specs = [], []
    for child in parts[2]:
        below, spec = tree_flatten(child, is_leaf)
        leaves += below
        specs.append(spec)
    return leaves, TreeSpec(parts[0], parts[1], specs)


def tree_unflatten(leaves, treespec):
    """The tree of this spec with these leaves. ValueError: their number does not fit."""
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
            f"{treespec.num_leaves} items ({treespec})."
        )
    return _unflatten(iter(leaves), treespec)


def _unflatten(leaves, spec):
    if spec.is_leaf():
        return next(leaves)
    return _built(spec, [_unflatten(leaves, child) for child in spec.children_specs])


def tree_leaves(tree, is_leaf=None):
    return tree_flatten(tree, is_leaf)[0]


tree_iter = tree_leaves


def tree_structure(tree, is_leaf=None):
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None):
    """A tree of func(leaf, leaves at the same place in rests …)."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [tree_leaves(rest, is_leaf) for rest in rests]
    return tree_unflatten([func(*row) for row in zip(leaves, *others)], spec)


def tree_map_(func, tree, *rests, is_leaf=None):
    """Calls func on every leaf, and gives the tree itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(type_or_types, func, tree, is_leaf=None):
    """tree_map where a leaf is of these types; other leaves stay."""
    return tree_map(lambda leaf: func(leaf) if isinstance(leaf, type_or_types) else leaf, tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None):
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    return any(map(pred, tree_leaves(tree, is_leaf)))


__getattr__ = missing("torch.utils._pytree", globals())
