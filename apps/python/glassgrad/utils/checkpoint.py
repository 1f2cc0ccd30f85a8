"""Memory saved by computing twice (torch.utils.checkpoint)."""

import contextlib
import warnings

import glassgrad as torch
from glassgrad._names import missing as _missing


class _Recomputed(torch.autograd.Function):
    """function(*args, **kwargs) without its graph, which the backward makes by calling the function again."""

    @staticmethod
    def forward(ctx, _, function, keep_random, kwargs, *args):
        ctx.function, ctx.kwargs = function, kwargs
        ctx.args = [arg.detach().requires_grad_(arg.requires_grad) if isinstance(arg, torch.Tensor) else arg
                    for arg in args]
        ctx.versions = [arg._version if isinstance(arg, torch.Tensor) else None for arg in args]
        ctx.random = torch.get_rng_state() if keep_random else None
        with torch.no_grad():
            return function(*args, **kwargs)

    @staticmethod
    def backward(ctx, *gradients):
        args = ctx.args
        for arg, version in zip(args, ctx.versions):
            if isinstance(arg, torch.Tensor) and arg._version != version:
                raise RuntimeError("an input of a checkpointed function has been modified by an inplace operation")
        with torch.enable_grad(), contextlib.nullcontext() if ctx.random is None else torch.random.fork_rng():
            if ctx.random is not None:
                torch.set_rng_state(ctx.random)
            results = ctx.function(*args, **ctx.kwargs)
        results = results if isinstance(results, (tuple, list)) else (results,)
        pairs = [(y, g) for y, g in zip(results, gradients)
                 if isinstance(y, torch.Tensor) and y.requires_grad and g is not None]
        if pairs:
            torch.autograd.backward([y for y, _ in pairs], [g for _, g in pairs])
        return (None, None, None, None, *(arg.grad if isinstance(arg, torch.Tensor) else None for arg in args))


def checkpoint(function, *args, use_reentrant=None, context_fn=None, determinism_check="default", debug=False,
               preserve_rng_state=True, **kwargs):
    """function(*args, **kwargs), whose intermediate results are computed again for the backward instead of kept.

    Random numbers are the same both times, unless preserve_rng_state is False.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. In version 2.5 we will "
            "raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you need to "
            "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
            "the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    if use_reentrant and kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if not torch.is_grad_enabled():
        return function(*args, **kwargs)
    if use_reentrant and not any(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)
    learned = None if use_reentrant else torch.empty(0, requires_grad=True)  # the function may use parameters
    return _Recomputed.apply(learned, function, preserve_rng_state, kwargs, *args)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """The functions one after the other, in that many parts of which all but the last are checkpointed."""
    functions = list(functions.children()) if isinstance(functions, torch.nn.Sequential) else list(functions)
    size = len(functions) // segments

    def run(part):
        def called(x):
            for function in part:
                x = function(x)
            return x

        return called

    for begin in range(0, size * (segments - 1), size):
        input = checkpoint(run(functions[begin:begin + size]), input, use_reentrant=use_reentrant, **kwargs)
    return run(functions[size * (segments - 1):])(input)


__getattr__ = _missing("torch.utils.checkpoint", globals())
