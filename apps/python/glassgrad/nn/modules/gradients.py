"""Hooks that see the gradients of a module's outputs and inputs."""

import warnings

import glassgrad as torch
from glassgrad._autograd import Function
from glassgrad._C import Tensor
from glassgrad.nn.modules import hooks


class BackwardHookFunction(Function):
    """The tensors themselves; on the way back seen(gradients) says what their gradients are."""

    @staticmethod
    def forward(ctx, seen, *tensors):
        ctx.seen = seen
        return tensors

    @staticmethod
    def backward(ctx, *gradients):
        return (None, *ctx.seen(gradients))


BackwardHookFunction.__module__ = "torch.nn.modules._functions"


def _through(seen, values):
    """The values, those that need a gradient put through a BackwardHookFunction, and where these stand."""
    places = [i for i, x in enumerate(values) if isinstance(x, Tensor) and x.requires_grad]
    if not places or not torch.is_grad_enabled():
        return values, []
    values = list(values)
    for place, tensor in zip(places, BackwardHookFunction.apply(seen, *[values[i] for i in places])):
        values[place] = tensor
    return tuple(values), places


def call_with_hooks(module):
    """A Call if the module has such hooks, or all modules have; else None."""
    kinds = (("backward", module._backward_hooks), ("backward_pre", module._backward_pre_hooks))
    own = [[hook for _, hook, _ in hooks.of_all_modules(kind)] + list(of.values()) for kind, of in kinds]
    return Call(module, *own) if any(own) else None


class Call:
    """One call of a module with such hooks."""

    def __init__(self, module, hooks, pre_hooks):
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs = None

    def inputs(self, args):
        """The arguments, which forward gets."""
        self.fixed = [
            (x.shape, x.dtype, x.device) if isinstance(x, Tensor) and x.is_floating_point() else None for x in args
        ]
        args, self.input_places = _through(self.input_gradients, args)
        return args

    def outputs(self, result):
        """What forward has returned, as the caller gets it."""
        values = (result,) if isinstance(result, Tensor) else result
        if not isinstance(values, tuple) or not all(isinstance(x, Tensor) for x in values[:1]):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}",
                stacklevel=6,
            )
            return result
        self.n_outputs = len(values)
        values, self.output_places = _through(self.output_gradients, values)
        return values[0] if isinstance(result, Tensor) else values

    def output_gradients(self, gradients):
        given = _spread(gradients, self.output_places, [None] * self.n_outputs)
        for hook in self.pre_hooks:
            changed = hook(self.module, given)
            if changed is not None:
                changed = changed if isinstance(changed, tuple) else (changed,)
                _check_length(changed, given, "grad_output")
                given = changed
        self.grad_outputs = given
        if not self.input_places:
            for hook in self.hooks:
                changed = hook(self.module, (None,) * len(self.fixed), given)
                if changed is not None and not (isinstance(changed, tuple) and all(x is None for x in changed)):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
            self.grad_outputs = None
        return [given[i] for i in self.output_places]

    def input_gradients(self, gradients):
        if self.grad_outputs is None:  # the gradients did not come through the outputs
            return gradients
        absent = [None if x is None else torch.zeros(x[0], dtype=x[1], device=x[2]) for x in self.fixed]
        found = _spread(gradients, self.input_places, absent)
        for hook in self.hooks:
            changed = hook(self.module, found, self.grad_outputs)
            if changed is not None:
                _check_length(changed, found, "grad_input")
                found = changed
        self.grad_outputs = None
        return [found[i] for i in self.input_places]


def _spread(gradients, places, others):
    for place, gradient in zip(places, gradients):
        others[place] = gradient
    return tuple(others)


def _check_length(changed, given, kind):
    if len(changed) != len(given):
        raise RuntimeError(
            f"Backward hook returned an invalid number of {kind}, got {len(changed)}, but expected {len(given)}"
        )
