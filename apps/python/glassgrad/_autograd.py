"""Grad mode, gradients, and functions whose gradient is written in Python (torch.autograd)."""

import functools
import inspect

from glassgrad import _C, _passes
from glassgrad._C import Tensor


class _GradMode:
    """A `with` block, or a decorator, in which the graph is built or not."""

    def __init__(self):
        self._before = []

    def __enter__(self):
        self._before.append(_C.is_grad_enabled())
        _C.set_grad_mode(self._mode())

    def __exit__(self, *error):
        _C.set_grad_mode(self._before.pop())

    def __call__(self, function):
        if inspect.isgeneratorfunction(function):
            return self._around_generator(function)

        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self._copy():
                return function(*args, **kwargs)

        return inside

    def _around_generator(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            generator, value = function(*args, **kwargs), None
            while True:
                with self._copy():  # active only while the generator runs, not between its values
                    try:
                        value = generator.send(value)
                    except StopIteration as end:
                        return end.value
                value = yield value

        return inside

    def _copy(self):
        return type(self)()


class _PlainGradMode(_GradMode):
    """One without arguments: a decorator without brackets too."""

    def __new__(cls, function=None):
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()
        return mode(function)


class no_grad(_PlainGradMode):
    """In it no graph is built: results need no gradient."""

    def _mode(self):
        return False


class enable_grad(_PlainGradMode):
    """In it the graph is built, also inside of a no_grad."""

    def _mode(self):
        return True


class set_grad_enabled(_GradMode):
    """Builds the graph from now on, or no longer; as a `with`, to the end of the block."""

    def __init__(self, mode):
        super().__init__()
        self.mode = bool(mode)
        self._outside = _C.is_grad_enabled()
        _C.set_grad_mode(self.mode)

    def __enter__(self):
        _C.set_grad_mode(self.mode)

    def __exit__(self, *error):
        _C.set_grad_mode(self._outside)

    def __call__(self, function):
        _C.set_grad_mode(self._outside)  # a decorator does not change the mode around it
        return super().__call__(function)

    def _copy(self):
        return set_grad_enabled(self.mode)


class inference_mode(_GradMode):
    """no_grad whose results take no part in a graph later, either.

    inference_mode(False) builds the graph, also inside of one.
    """

    def __new__(cls, mode=True):
        if callable(mode):
            return cls()(mode)
        return super().__new__(cls)

    def __init__(self, mode=True):
        super().__init__()
        self.mode = mode if isinstance(mode, bool) else True
        self._outside = []

    def __enter__(self):
        super().__enter__()
        self._outside.append(_C.is_inference_mode_enabled())
        _C.set_inference_mode(self.mode)

    def __exit__(self, *error):
        _C.set_inference_mode(self._outside.pop())
        super().__exit__(*error)

    def _mode(self):
        return not self.mode

    def _copy(self):
        return inference_mode(self.mode)


def is_inference_mode_enabled():
    """Inside of an inference_mode?"""
    return _C.is_inference_mode_enabled()


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Adds the gradients of Σ tensors·grad_tensors to the .grad of the leaves, or of `inputs` alone."""
    _passes.backward(tensors, grad_tensors, retain_graph, create_graph, inputs)


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """d(Σ outputs·grad_outputs)/d(inputs), one gradient per input, as a tuple; no .grad changes.

    is_grads_batched: once for each row of grad_outputs, the gradients stacked.
    """
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    if materialize_grads and not allow_unused:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    settings = retain_graph, create_graph, allow_unused
    if is_grads_batched:
        gradients = _grad_of_rows(outputs, inputs, grad_outputs, *settings)
    else:
        gradients = tuple(_passes.grad(outputs, inputs, grad_outputs, *settings))
    if materialize_grads:
        inputs = [inputs] if isinstance(inputs, Tensor) else inputs
        gradients = tuple(
            x.new_zeros(x.shape, requires_grad=True) if g is None else g for g, x in zip(gradients, inputs)
        )
    return gradients


def _grad_of_rows(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused):
    outputs, grad_outputs = [[x] if isinstance(x, Tensor) else list(x) for x in (outputs, grad_outputs)]
    for i, (y, g) in enumerate(zip(outputs, grad_outputs)):
        if g.shape[1:] != y.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{i}] has a shape of {g.shape[2:]} and output[{i}] "
                f"has a shape of {y.shape}. If you only want some tensors in `grad_output` to be considered batched, "
                "consider using vmap."
            )
    rows = list(zip(*grad_outputs))
    found = [
        _passes.grad(outputs, inputs, row, True if k + 1 < len(rows) else retain_graph, create_graph, allow_unused)
        for k, row in enumerate(rows)
    ]
    return tuple(None if of_input[0] is None else _C.stack(of_input) for of_input in zip(*found))


class FunctionCtx:
    """What a Function's forward leaves for its backward."""

    _saved = ()
    needs_input_grad = ()

    def save_for_backward(self, *tensors):
        """Keeps tensors; backward finds them in ctx.saved_tensors."""
        for x in tensors:
            if x is not None and not isinstance(x, Tensor):
                kind = type(x).__name__
                raise TypeError(f"save_for_backward can only save variables, but argument 0 is of type {kind}")
        self._saved = [_C.packed(x) if x is not None else None for x in tensors]

    @property
    def saved_tensors(self):
        return tuple(x if x is None or isinstance(x, Tensor) else x() for x in self._saved)

    def mark_non_differentiable(self, *tensors):
        """These outputs have no gradient."""
        self._plain = tensors

    def mark_dirty(self, *tensors):
        raise NotImplementedError("glassgrad has no Function that writes its inputs in place: return a new tensor")

    def set_materialize_grads(self, value):
        """Nothing to choose: a gradient that is missing arrives as zeros."""


def real_of(x):
    """The real tensor that holds a complex one; all else as it is."""
    return x.pairs if hasattr(type(x), "holds_pairs") else x


def _run_backward(backward, ctx, which, *gradients):
    """backward with a gradient for every result, None for those that have none."""
    gradients = iter(gradients)
    results = backward(ctx, *[next(gradients) if has_gradient else None for has_gradient in which])
    return tuple(map(real_of, results)) if isinstance(results, tuple) else real_of(results)


for _mode in (no_grad, enable_grad, set_grad_enabled, inference_mode):
    _mode.__module__ = "torch.autograd.grad_mode"


class Function:
    """A function with a gradient of its own.

    A subclass has the static methods forward(ctx, …) and backward(ctx, *gradients of the outputs), which returns one
    gradient per argument, None where there is none. It is called by apply(…).
    """

    @staticmethod
    def forward(*args, **kwargs):
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    setup_context = None

    @classmethod
    def apply(cls, *args):
        """forward(…), recorded in the graph."""
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(isinstance(x, Tensor) and x.requires_grad for x in args)
        with no_grad():
            if cls.setup_context is None:
                results = cls.forward(ctx, *args)
            else:
                results = cls.forward(*args)
                cls.setup_context(ctx, args, results)
        single = not isinstance(results, tuple)
        results = (results,) if single else results
        # An argument that is returned keeps its place in the graph.
        results = tuple(x.detach() if any(x is arg for arg in args) else x for x in results)
        plain = [id(x) for x in getattr(ctx, "_plain", ())]
        outputs = [x for x in results if isinstance(x, Tensor) and x.is_floating_point() and id(x) not in plain]
        if _C.is_grad_enabled() and any(ctx.needs_input_grad) and outputs:
            # Detach saved outputs: holding on to their own node, they would never be freed.
            ctx._saved = tuple(
                x.detach() if any(x is y for y in outputs) else x for x in ctx._saved
            )
            inputs = [real_of(x) if isinstance(x, Tensor) else None for x in args]
            which = [any(x is y for y in outputs) for x in results]
            backward = functools.partial(_run_backward, cls.backward, ctx, which)
            _C.attach_function(cls.__name__, outputs, inputs, backward)
        return results[0] if single else results


Function.__module__ = FunctionCtx.__module__ = "torch.autograd.function"
