"""The nodes of the graph, and hooks on several gradients at once (torch.autograd.graph)."""

from glassgrad import _passes
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


class save_on_cpu:
    """Without effect: what the CPU computes is saved there. NotImplementedError with a GPU, whose memory stays full."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        pass

    def __enter__(self):
        from glassgrad import cuda

        if cuda.is_available():
            raise NotImplementedError(
                "glassgrad saves tensors where they were computed: use torch.utils.checkpoint, which saves fewer"
            )

    def __exit__(self, *error):
        pass


_SAVED = "the engine keeps what it saves for backward to itself; torch.utils.checkpoint saves less"
__getattr__ = _missing("torch.autograd.graph", globals(), dict.fromkeys(
    ["saved_tensors_hooks", "disable_saved_tensors_hooks", "allow_mutation_on_saved_tensors"], _SAVED
))
