"""Jacobians and Hessians of functions of tensors, and their products with vectors (torch.autograd.functional)."""

import glassgrad as torch
from glassgrad._autograd import grad as _grad
from glassgrad._C import Tensor
from glassgrad._names import missing as _missing


def _as_tuple(given, name, function):
    """(is it a tuple, the tensors)."""
    is_tuple = isinstance(given, tuple)
    tensors = given if is_tuple else (given,)
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            which = f"value at index {i}" if is_tuple else f"given {name}"
            raise TypeError(
                f"The {name} given to {function} must be either a Tensor or a tuple of Tensors but the {which} has "
                f"type {type(x)}."
            )
    return is_tuple, tensors


def _apart(tensors, create_graph, need_graph):
    """New tensors of the same numbers, so that a function that uses the originals as well has no part in gradients."""
    return tuple(
        x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_(need_graph) for x in tensors
    )


def _given_back(tensors, create_graph, is_tuple):
    tensors = tensors if create_graph else tuple(x.detach() for x in tensors)
    return tensors if is_tuple else tensors[0]


def _vector(v, like, is_tuple, create_graph, function, sole):
    """v, which has to be of the shapes of `like`; None only where `sole` says that there is one number."""
    if v is None:
        if len(like) != 1 or like[0].nelement() != 1:
            raise RuntimeError(f"The vector v can only be None if {sole}")
        return None
    v = _apart(_as_tuple(v, "v", function)[1], create_graph, need_graph=False)
    if len(v) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}." if is_tuple
            else "The given v should contain a single Tensor."
        )
    for i, (given, x) in enumerate(zip(v, like)):
        if given.shape != x.shape:
            entry = f"Entry {i} in " if is_tuple else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {x.shape} but got {given.shape}.")
    return v


_OF_OUTPUTS = "the user-provided function returns a single Tensor with a single element."
_OF_INPUTS = "the input to the user-provided function is a single Tensor with a single element."

# What strict mode says of the tensor with number {i} that needs no gradient.
_INDEPENDENT = {
    "outputs": "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
               "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {i} is independent of the inputs of the user-provided function. "
                   "This is not allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to "
                "input {i} is independent of the input. This is not allowed in strict mode. You should ensure that "
                "your function is twice differentiable and that the jacobian depends on the inputs (this would be "
                "violated by a linear function for example).",
    "hessian": "The hessian of the user-provided function with respect to input {i} is independent of the input. This "
               "is not allowed in strict mode. You should ensure that your function is thrice differentiable and that "
               "the hessian depends on the inputs.",
}
# What strict mode says of gradient {i} that does not exist, by the pass that it was expected from.
_ABSENT = {
    "back": "The output of the user-provided function is independent of input {i}. This is not allowed in strict mode.",
    "back_trick": "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using "
                  "the double backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "double_back": "The jacobian of the user-provided function is independent of input {i}. This is not allowed in "
                   "strict mode.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. "
                         "This is not allowed in strict mode as it prevents from using the double backward trick to "
                         "replace forward mode AD.",
}


def _check_dependent(tensors, kind, strict):
    for i, x in enumerate(tensors if strict else ()):
        if x is None:
            raise RuntimeError(_ABSENT["back"].format(i=i))
        if not x.requires_grad:
            raise RuntimeError(_INDEPENDENT[kind].format(i=i))


def _gradients(outputs, inputs, grad_outputs=None, create_graph=False, retain_graph=None):
    """torch.autograd.grad of those outputs that have a graph; None for inputs without a gradient."""
    grad_outputs = [None] * len(outputs) if grad_outputs is None else grad_outputs
    pairs = [(y, g) for y, g in zip(outputs, grad_outputs) if y is not None and y.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    outputs, grad_outputs = zip(*pairs)
    return _grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused=True)


def _products(outputs, inputs, vector, like, strict, create_graph, stage):
    """The gradients with zeros where there is none."""
    with torch.set_grad_enabled(create_graph or torch.is_grad_enabled()):
        found = _gradients(outputs, inputs, vector, create_graph)
        what = "hessian" if "double" in stage else "jacobian"
        for i, g in enumerate(found if strict else ()):
            if g is None:
                raise RuntimeError(_ABSENT[stage].format(i=i))
            if create_graph and not g.requires_grad:
                raise RuntimeError(
                    f"The {what} of the user-provided function is independent of input {i}. This is not allowed in "
                    "strict mode when create_graph=True."
                )
        return tuple(torch.zeros_like(x) if g is None else g for g, x in zip(found, like))


def _called(func, inputs, create_graph, strict, function):
    """(were the inputs a tuple, the inputs that func got, were the outputs a tuple, the outputs)."""
    with torch.enable_grad():
        of_tuple, inputs = _as_tuple(inputs, "inputs", function)
        inputs = _apart(inputs, create_graph, need_graph=True)
        to_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", function)
        _check_dependent(outputs, "outputs", strict)
    return of_tuple, inputs, to_tuple, outputs


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(*inputs), vᵀ·J): the vector v, shaped as the outputs, times the Jacobian of func; shaped as the inputs.

    strict: RuntimeError where the outputs do not depend on an input, instead of zeros.
    """
    of_tuple, inputs, to_tuple, outputs = _called(func, inputs, create_graph, strict, "vjp")
    with torch.enable_grad():
        v = _vector(v, outputs, to_tuple, create_graph, "vjp", _OF_OUTPUTS)
    products = _products(outputs, inputs, v, inputs, strict, create_graph, "back")
    return _given_back(outputs, create_graph, to_tuple), _given_back(products, create_graph, of_tuple)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(*inputs), J·v): the Jacobian of func times the vector v, shaped as the inputs; shaped as the outputs.

    The gradient of uᵀ·J by u, so func has to be twice differentiable.
    """
    of_tuple, given = _as_tuple(inputs, "inputs", "jvp")
    with torch.enable_grad():
        v = _vector(v, given, of_tuple, create_graph, "jvp", _OF_INPUTS)
    _, inputs, to_tuple, outputs = _called(func, given, create_graph, strict, "jvp")
    with torch.enable_grad():
        u = tuple(torch.zeros_like(y, requires_grad=True) for y in outputs)
        rows = _gradients(outputs, inputs, u, create_graph=True)
        _check_dependent(rows, "grad_inputs", strict)
    products = _products(rows, u, v, outputs, strict, create_graph, "back_trick")
    return _given_back(outputs, create_graph, to_tuple), _given_back(products, create_graph, to_tuple)


def _check_strategy(name, create_graph, strict, vectorize):
    assert name in ("forward-mode", "reverse-mode"), (
        'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than '
        'inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
    )
    together = "are not supported together"
    if name == "forward-mode":
        if create_graph:
            raise NotImplementedError(
                f'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` {together} '
                '(yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
            )
        if strict:
            raise RuntimeError(
                f'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` {together} (yet). '
                'Please either set `strict=False` or `strategy="reverse-mode"`.'
            )
        if not vectorize:
            raise NotImplementedError(
                "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
                "`vectorize=True`."
            )


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """d outputs / d inputs: of the shape of the output and then that of the input; [i][j] for tuples of both.

    Row by row, by one backward pass each: vectorize and strategy change neither numbers nor time.
    """
    _check_strategy(strategy, create_graph, strict, vectorize)
    of_tuple, inputs, to_tuple, outputs = _called(func, inputs, create_graph, strict, "jacobian")
    if vectorize and strict:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
            "Please either set `strict=False` or `vectorize=False`."
        )
    with torch.enable_grad():
        whole = tuple(_rows_of(i, y, inputs, create_graph, strict) for i, y in enumerate(outputs))
    whole = tuple(_given_back(of_inputs, create_graph, of_tuple) for of_inputs in whole)
    return whole if to_tuple else whole[0]


def _rows_of(i, output, inputs, create_graph, strict):
    """The Jacobian of output number i by every input."""
    rows = [[] for _ in inputs]
    for j in range(output.nelement()):
        found = _gradients((output.reshape(-1)[j],), inputs, create_graph=create_graph, retain_graph=True)
        for k, (g, x) in enumerate(zip(found, inputs)):
            if strict and g is None:
                raise RuntimeError(
                    f"Output {i} of the user-provided function is independent of input {k}. This is not allowed in "
                    "strict mode."
                )
            if strict and create_graph and not g.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {i}. This is not allowed in "
                    "strict mode when create_graph=True."
                )
            rows[k].append(torch.zeros_like(x) if g is None else g)
    return tuple(torch.stack(of_input).view(output.shape + x.shape) for of_input, x in zip(rows, inputs))


def _check_single(is_tuple, outputs, function):
    if is_tuple:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs[0].nelement() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {function} should contain a single element"
        )


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """d² output / d inputs² of a function with a single number: [i][j] for a tuple of inputs, of both their shapes."""
    is_tuple, inputs = _as_tuple(inputs, "inputs", "hessian")
    assert outer_jacobian_strategy in ("forward-mode", "reverse-mode"), (
        'Expected strategy to be either "forward-mode" or "reverse-mode".'
    )

    def single(*given):
        to_tuple, outputs = _as_tuple(func(*given), "outputs of the user-provided function", "hessian")
        _check_dependent(outputs, "outputs", strict)
        _check_single(to_tuple, outputs, "hessian")
        return outputs[0].squeeze()

    def first_derivative(*given):
        whole = jacobian(single, given, create_graph=True)
        _check_dependent(whole, "jacobian", strict)
        return whole

    whole = jacobian(first_derivative, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return whole if is_tuple else whole[0][0]


def _with_first_derivative(func, inputs, v, create_graph, strict, function):
    """(were the inputs a tuple, they, v, the single output, its gradient)."""
    of_tuple, given = _as_tuple(inputs, "inputs", function)
    with torch.enable_grad():
        v = _vector(v, given, of_tuple, create_graph, function, _OF_INPUTS)
    _, inputs, to_tuple, outputs = _called(func, given, create_graph, strict, function)
    _check_single(to_tuple, outputs, function)
    with torch.enable_grad():
        first = _gradients(outputs, inputs, create_graph=True)
        _check_dependent(first, "jacobian", strict)
    return of_tuple, inputs, v, outputs, first


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(*inputs), vᵀ·H): a vector, shaped as the inputs, times the Hessian of a function with a single number."""
    of_tuple, inputs, v, outputs, first = _with_first_derivative(func, inputs, v, create_graph, strict, "vhp")
    products = _products(first, inputs, v, inputs, strict, create_graph, "double_back")
    return _given_back(outputs, create_graph, False), _given_back(products, create_graph, of_tuple)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """(func(*inputs), H·v). The same numbers as vhp, which needs one backward pass less."""
    of_tuple, inputs, v, outputs, first = _with_first_derivative(func, inputs, v, create_graph, strict, "hvp")
    with torch.enable_grad():
        u = tuple(torch.zeros_like(x, requires_grad=True) for x in inputs)
        second = _gradients(first, inputs, u, create_graph=True)
        _check_dependent(first, "hessian", strict)
    products = _products(second, u, v, inputs, strict, create_graph, "double_back_trick")
    return _given_back(outputs, create_graph, False), _given_back(products, create_graph, of_tuple)


__getattr__ = _missing("torch.autograd.functional", globals())
