"""The nodes of the graph, and hooks on several gradients at once (torch.autograd.graph)."""

import threading

from glassgrad import _C, _passes
from glassgrad._C import Node
from glassgrad._names import missing as _missing
from glassgrad.utils.hooks import RemovableHandle as _RemovableHandle


class _Handles(_RemovableHandle):
    """Takes several hooks away."""

    def __init__(self, handles):
        self._handles = handles

    def remove(self):
        for handle in self._handles:
            handle.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """mode="all": fn([gradients]) once in each backward pass, when the last of them is there.

    None stands for a tensor without a gradient in that pass. mode="any": fn(gradient) with the first of them. Returns
    a handle with remove().
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    _passes.note()
    hook = _All(tensors, fn) if mode == "all" else _Any(fn)
    return _Handles([
        x.register_hook(lambda g, i=i: hook.arrived(i, g))
        for i, x in enumerate(tensors) if mode == "all" or x.requires_grad
    ])


class _All:
    def __init__(self, tensors, fn):
        self.fn, self.nodes = fn, [_passes.node_of(x) for x in tensors]
        assert all(node is not None for node in self.nodes)
        self.found = {}  # Pass → its gradients so far, by number
        self.expected = {}

    def arrived(self, number, gradient):
        this = _passes.running()
        if self not in this.at_end:
            this.at_end[self] = lambda: self.finish(this)
            self.expected[this] = {i for i, node in enumerate(self.nodes) if this.calls(node)}
            self.found[this] = {}
        found = self.found.get(this)
        if found is not None:
            found[number] = gradient
            if found.keys() >= self.expected[this]:
                self.finish(this)

    def finish(self, this):
        """Calls fn, unless it has been: at the latest at the end, where a node had no gradient to hand on."""
        found = self.found.pop(this, None)
        if found is not None:
            del self.expected[this]
            self.fn([found.get(i) for i in range(len(self.nodes))])


class _Any:
    def __init__(self, fn):
        self.fn = fn

    def arrived(self, number, gradient):
        at_end = _passes.running().at_end
        if self not in at_end:
            at_end[self] = lambda: None
            self.fn(gradient)


class _SavedHooks(threading.local):
    def __init__(self):
        self.stack = [(None, None)]
        self.refusal = None  # the message of disable_saved_tensors_hooks


_saved = _SavedHooks()


class saved_tensors_hooks:
    """In it, pack_hook(tensor) makes what the graph keeps of each tensor that it saves.

    unpack_hook makes the tensor of it when a gradient is computed.
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        if _saved.refusal is not None:
            raise RuntimeError(_saved.refusal)
        _saved.stack.append((self.pack_hook, self.unpack_hook))
        _C.set_saved_hooks(*_saved.stack[-1])

    def __exit__(self, *error):
        _saved.stack.pop()
        _C.set_saved_hooks(*_saved.stack[-1])


class save_on_cpu(saved_tensors_hooks):
    """In it, the graph keeps copies on the CPU of the tensors that it saves."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda x: (x.device, x.cpu()), lambda packed: packed[1].to(packed[0]))


class disable_saved_tensors_hooks:
    """In it, saved_tensors_hooks is a RuntimeError with this message."""

    def __init__(self, error_message):
        self.message = error_message

    def __enter__(self):
        if len(_saved.stack) > 1:
            raise RuntimeError(self.message)
        self._before, _saved.refusal = _saved.refusal, self.message

    def __exit__(self, *error):
        _saved.refusal = self._before


__getattr__ = _missing("torch.autograd.graph", globals())
