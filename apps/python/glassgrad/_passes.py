"""Backward passes, and what Python's hooks ask about the one that runs: its nodes."""

import threading
from collections import OrderedDict

from glassgrad import _C

# What the package calls. Replaced by the first hook that asks about a pass: until then none is noted.
backward, grad = _C.backward, _C.grad


class _Thread(threading.local):
    running = None  # the innermost Pass


_thread = _Thread()


class Pass:
    """One call of backward() or grad(), while it runs."""

    def __init__(self, outputs, inputs):
        self._outputs, self._inputs = _tensors(outputs), inputs
        self._called = None
        self.at_end = OrderedDict()  # functions to call when it ends

    def __enter__(self):
        self._around, _thread.running = _thread.running, self
        return self

    def __exit__(self, *error):
        _thread.running = self._around

    def calls(self, node):
        """Does this pass reach the node, and need it for what it was asked for?"""
        if self._called is None:
            targets = None if self._inputs is None else [node_of(x) for x in _tensors(self._inputs)]
            self._called = _nodes_between([node_of(y) for y in self._outputs], targets)
        return node in self._called


def _tensors(given):
    return [given] if isinstance(given, _C.Tensor) else list(given)


def node_of(x):
    """The node that x's gradient comes to: of a leaf the one that adds to .grad. None without requires_grad."""
    if not x.requires_grad or not x.is_leaf:
        return x.grad_fn
    before = _C.is_grad_enabled()
    _C.set_grad_mode(True)
    try:
        return x.view_as(x).grad_fn.next_functions[0][0]
    finally:
        _C.set_grad_mode(before)


def _nodes_between(roots, targets):
    """The nodes that are reached from the roots; with targets, those of them that lead to one."""
    reached, leads_here, left = set(roots), {}, list(roots)
    while left:
        node = left.pop()
        for below, _ in node.next_functions:
            if below is not None:
                leads_here.setdefault(below, []).append(node)
                if below not in reached:
                    reached.add(below)
                    left.append(below)
    if targets is None:
        return reached
    wanted = reached.intersection(targets)
    left = list(wanted)
    while left:
        for above in leads_here.get(left.pop(), ()):
            if above not in wanted:
                wanted.add(above)
                left.append(above)
    return wanted


def running():
    """The pass that calls a hook now."""
    assert _thread.running is not None, "expected this hook to be called inside a backward call"
    return _thread.running


def note():
    """From now on every pass is noted."""
    global backward, grad
    backward, grad = _noted_backward, _noted_grad


def _noted_backward(outputs, gradients, retain_graph, create_graph, inputs):
    with Pass(outputs, inputs) as this:
        _C.backward(outputs, gradients, retain_graph, create_graph, inputs)
        _end(this, create_graph)


def _noted_grad(outputs, inputs, gradients, retain_graph, create_graph, allow_unused):
    with Pass(outputs, inputs) as this:
        found = _C.grad(outputs, inputs, gradients, retain_graph, create_graph, allow_unused)
        _end(this, create_graph)
    return found


def _end(this, create_graph):
    before = _C.is_grad_enabled()
    _C.set_grad_mode(create_graph)  # as in the pass: an optimizer's step needs no no_grad
    try:
        for function in list(this.at_end.values()):
            function()
    finally:
        _C.set_grad_mode(before)
