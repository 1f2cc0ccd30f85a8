"""Gradients against central differences (torch.autograd.gradcheck)."""

import itertools
import sys
import types
import warnings

import glassgrad as torch
from glassgrad._autograd import Function
from glassgrad._autograd import grad as _grad
from glassgrad._C import Tensor
from glassgrad._names import missing as _missing


class GradcheckError(RuntimeError):
    """The gradients of a function are not those of its numbers."""

    __module__ = "torch.autograd.gradcheck"


def _as_tuple(given):
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


def _learned(given):
    """(number, tensor) of those that require a gradient."""
    return [(i, x) for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]


def _differentiable(outputs):
    return tuple(y for y in _as_tuple(outputs) if y.requires_grad)


# ---- what both sides have to be
def _check_inputs(inputs):
    for i, x in _learned(inputs):
        if x.dtype is not torch.float64:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=4,
            )
        if not all(stride > 0 or size <= 1 for stride, size in zip(x.stride(), x.shape)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not _learned(inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have "
            "requires_grad=True."
        )


def _check_real(tensors):
    if any(isinstance(x, Tensor) and x.is_complex() for x in tensors):
        raise NotImplementedError("glassgrad checks gradients of real tensors: give it torch.view_as_real(x)")


def _check_neighbours(a, b, eps, where):
    for kind, of_a, of_b in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
        assert of_a == of_b, (
            f"Expected `func` to return outputs with the same {kind} when inputs are perturbed {where}by {eps}, but "
            f"got: {kind}s {of_a} and {of_b}."
        )


# ---- by differences
def _slopes(func, inputs, entry, step, eps, where=""):
    """(func(entry + step) − func(entry − step)) / 2·eps for each output, flat; entry is a part of an input."""
    def outputs():
        return [y.clone() for y in _as_tuple(func(*inputs))]

    before = entry.clone()
    entry.copy_(before - step)
    lower = outputs()
    entry.copy_(before + step)
    upper = outputs()
    entry.copy_(before)
    for a, b in zip(lower, upper):
        _check_neighbours(a, b, eps, where)
    return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(lower, upper)]


def _numerical(func, inputs, outputs, eps):
    """[output][input]: a Jacobian of a row for each element of the input."""
    of_inputs = []
    for _, x in _learned(inputs):
        data = x.data  # the same memory, which may be written where a graph needs it
        jacobians = [y.new_zeros((x.numel(), y.numel())) for y in outputs]
        for row, index in enumerate(itertools.product(*map(range, x.shape))):
            slopes = _slopes(func, inputs, data[index], eps, eps, "on index {idx} ")  # PyTorch's text
            for jacobian, slope in zip(jacobians, slopes):
                jacobian[row] = slope
        of_inputs.append(jacobians)
    return list(zip(*of_inputs))


# ---- by backward
def _columns(output, learned, grad_outputs):
    """For each input the gradients of Σ output·g, a column for each g; (these, are the sizes right, the dtypes)."""
    sizes = dtypes = True
    jacobians = [x.new_zeros((x.numel(), len(grad_outputs))) for x in learned]
    for j, g in enumerate(grad_outputs):
        found = _grad(output, learned, g, retain_graph=True, allow_unused=True)
        for jacobian, column, x in zip(jacobians, found, learned):
            if column is not None:
                sizes = sizes and column.shape == x.shape
                dtypes = dtypes and (column.shape != x.shape or column.dtype == x.dtype)
                jacobian[:, j] = column.reshape(-1)
    return jacobians, sizes, dtypes


def _analytical(output, learned, grad_outputs, nondet_tol, check_grad_dtypes):
    jacobians, sizes, dtypes = _columns(output, learned, grad_outputs)
    again, _, _ = _columns(output, learned, grad_outputs)
    if not dtypes and check_grad_dtypes:
        raise GradcheckError("Gradient has dtype mismatch")
    if not sizes:
        raise GradcheckError("Analytical gradient has incorrect size")
    if any(a.numel() and (a - b).abs().max() > nondet_tol for a, b in zip(jacobians, again)):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
            "different values, although analytical gradient matches numerical gradient."
            f"The tolerance for nondeterminism was {nondet_tol}."
        )
    return jacobians


def _units(output):
    """One gradient for each element, 1 there and 0 elsewhere."""
    return torch.eye(output.numel(), dtype=output.dtype, device=output.device).reshape(-1, *output.shape)


def _mismatch(numerical, analytical, output, input):
    return (f"Jacobian mismatch for output {output} with respect to input {input},\nnumerical:{numerical!r}\n"
            f"analytical:{analytical!r}\n")


def _only_differentiable(func):
    return lambda *given: _differentiable(func(*given))


def _close(a, b, rtol, atol):
    kind = torch.promote_types(a.dtype, b.dtype)
    return torch.allclose(a.to(kind), b.to(kind), rtol, atol)


def _check_all_elements(func, inputs, outputs, eps, rtol, atol, nondet_tol, check_grad_dtypes):
    learned = [x for _, x in _learned(inputs)]
    numerical = _numerical(_only_differentiable(func), inputs, outputs, eps)
    analytical = [_analytical(y, learned, _units(y), nondet_tol, check_grad_dtypes) for y in outputs]
    for i, (of_output, expected) in enumerate(zip(analytical, numerical)):
        for j, (a, n) in enumerate(zip(of_output, expected)):
            if not _close(a, n, rtol, atol):
                raise GradcheckError(_mismatch(n, a, i, j))


def _direction(like, generator):
    made = torch.rand(like.numel(), generator=generator).to(like.device, like.dtype)
    return made / made.norm()


def _check_one_direction(func, inputs, outputs, eps, rtol, atol, nondet_tol, check_grad_dtypes):
    """vᵀ·J·u for one random u and v, instead of all elements of J."""
    generator = torch.Generator()
    learned = [x for _, x in _learned(inputs)]
    us, vs = [[_direction(x, generator) for x in of] for of in (learned, outputs)]
    slopes = [_slopes(_only_differentiable(func), inputs, x.data, (u * eps).reshape(x.shape), eps)
              for x, u in zip(learned, us)]
    columns = [_analytical(y, learned, [v.reshape(y.shape)], nondet_tol, check_grad_dtypes)
               for y, v in zip(outputs, vs)]
    for j, u in enumerate(us):
        for i, v in enumerate(vs):
            numerical, analytical = (slopes[j][i] * v).sum(), columns[i][j][:, 0].dot(u)
            if not _close(analytical, numerical, rtol, atol * float(u.sum()) * float(v.sum())):
                raise GradcheckError(_mismatch(numerical, analytical, i, j)
                                     + _all_elements(func, inputs, outputs, i, j, eps, rtol, atol))


def _all_elements(func, inputs, outputs, i, j, eps, rtol, atol):
    """What differs by element, for the error of the fast mode."""
    learned = [x for _, x in _learned(inputs)]
    numerical = _numerical(_only_differentiable(func), inputs, outputs, eps)[i][j]
    analytical = _columns(outputs[i], learned, _units(outputs[i]))[0][j]
    told = (
        "\nThe above quantities relating the numerical and analytical jacobians are computed \nin fast mode. See: "
        "https://github.com/pytorch/pytorch/issues/53876 for more background \nabout fast mode. Below, we recompute "
        f"numerical and analytical jacobians in slow mode:\n\nNumerical:\n {numerical}\nAnalytical:\n{analytical}\n\n"
        f"The max per-element difference (slow mode) is: {(numerical - analytical).abs().max()}.\n"
    )
    if not torch.allclose(analytical, numerical, rtol, atol):
        return told
    return told + ("Fast gradcheck failed but element-wise differences are small. This means that the\n"
                   "test might've passed in slow_mode!")


def _check_constant(func, inputs, outputs, eps):
    """Without differentiable outputs nothing may change."""
    of_floats = [y for y in outputs if y.is_floating_point()]
    floats = lambda *given: [y for y in _as_tuple(func(*given)) if y.is_floating_point()]
    for jacobians in _numerical(floats, inputs, of_floats, eps):
        if any((jacobian != 0).any() for jacobian in jacobians):
            raise GradcheckError("Numerical gradient for function expected to be zero")


# ---- what else a backward has to do
def _check_multiplied_by_grad_output(outputs, inputs):
    learned = [x for _, x in _learned(inputs)]
    zeros = [torch.zeros_like(y) for y in outputs]
    for g, x in zip(_grad(outputs, learned, zeros, retain_graph=True, allow_unused=True), learned):
        if g is None:
            continue
        if not g.eq(0).all():
            raise GradcheckError("backward not multiplied by grad_output")
        if g.dtype != x.dtype:
            raise GradcheckError("grad is incorrect type")
        if g.device != x.device:
            raise GradcheckError("grad is incorrect device")
        if g.shape != x.shape:
            raise GradcheckError("grad is incorrect size")


class _Undefined(Function):
    """x; no gradient comes through."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return None


_NOTES = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'


def _check_undefined(func, inputs):
    learned = [x for _, x in _learned(inputs)]
    count = len(_differentiable(func(*inputs)))
    choices = [set(range(count))] + ([{i} for i in range(count)] if count > 1 else [])
    for undefined in choices:
        outputs = _differentiable(func(*inputs))
        outputs = [_Undefined.apply(y) if i in undefined else y for i, y in enumerate(outputs)]
        try:
            found = _grad(outputs, learned, [torch.zeros_like(y) for y in outputs], allow_unused=True)
        except RuntimeError as error:
            raise GradcheckError(f"Expected backward function to handle undefined output grads. {_NOTES}") from error
        if any(g is not None and not g.eq(0).all() for g in found):
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
                + _NOTES
            )


# ---- public names
def _refuse_forward(**settings):
    for name, on in settings.items():
        if on:
            raise NotImplementedError(f"glassgrad has no forward mode: leave {name} out")


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
              check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
              check_batched_forward_grad=False, check_forward_ad=False, check_backward_ad=True, fast_mode=False,
              masked=None):
    """True if the gradients of func(*inputs) are those of central differences, (f(x + eps) − f(x − eps)) / 2·eps.

    Close is |a − n| ≤ atol + rtol·|n|, for every element of the Jacobian by every input that requires grad; float64
    is what these defaults are made for. fast_mode: in one random direction instead. check_batched_grad: rows of
    gradients are computed one by one, so there is nothing more to check. Raises GradcheckError, or returns
    False without raise_exception.
    """
    assert check_forward_ad or check_backward_ad, (
        "Expected at least one of check_forward_ad or check_backward_ad to be True"
    )
    assert not (check_batched_grad and not check_backward_ad), (
        "Setting check_batched_grad=True requires check_backward_ad to be True"
    )
    assert not (check_batched_forward_grad and not check_forward_ad), (
        "Setting check_batched_forward_grad=True requires check_forward_ad to be True"
    )
    _refuse_forward(check_forward_ad=check_forward_ad, check_batched_forward_grad=check_batched_forward_grad)
    try:
        inputs = _as_tuple(inputs)
        _check_real(inputs)
        _check_inputs(inputs)
        all_outputs = _as_tuple(func(*inputs))
        _check_real(all_outputs)
        outputs = _differentiable(all_outputs)
        if outputs:
            check = _check_one_direction if fast_mode else _check_all_elements
            check(func, inputs, outputs, eps, rtol, atol, nondet_tol, check_grad_dtypes)
        else:
            _check_constant(func, inputs, all_outputs, eps)
        _check_multiplied_by_grad_output(outputs, inputs)
        if check_undefined_grad:
            _check_undefined(func, inputs)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3,
                  gen_non_contig_grad_outputs=False, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True,
                  check_grad_dtypes=False, check_batched_grad=False, check_fwd_over_rev=False,
                  check_rev_over_rev=True, fast_mode=False, masked=False):
    """gradcheck of the gradients of func(*inputs), as a function of the inputs and of grad_outputs.

    grad_outputs: random numbers from −1 to 1, if not given.
    """
    assert check_fwd_over_rev or check_rev_over_rev, (
        "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"
    )
    for name, on in (("check_undefined_grad", check_undefined_grad), ("check_batched_grad", check_batched_grad)):
        assert check_rev_over_rev or not on, f"Setting {name}=True requires check_rev_over_rev to be True"
    _refuse_forward(check_fwd_over_rev=check_fwd_over_rev)
    inputs = _as_tuple(inputs)
    if grad_outputs is None:
        outputs = _differentiable(func(*inputs))
        step = 2 if gen_non_contig_grad_outputs else 1
        grad_outputs = tuple(y.new_empty(*y.shape, step).uniform_(-1, 1)[..., 0].requires_grad_() for y in outputs)
    grad_outputs = _as_tuple(grad_outputs)
    learned = [i for i, _ in _learned(inputs)]

    def gradients(*given):
        given, grads = given[:len(inputs)], given[len(inputs):]
        found = _grad(_differentiable(func(*given)), [given[i] for i in learned], grads, create_graph=True,
                      allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(
        gradients, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad, fast_mode=fast_mode,
    )


class _CallableModule(types.ModuleType):
    """torch.autograd.gradcheck: the function, also where the module has just been imported under that name."""

    def __call__(self, *args, **kwargs):
        return gradcheck(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
__getattr__ = _missing("torch.autograd.gradcheck", globals())
