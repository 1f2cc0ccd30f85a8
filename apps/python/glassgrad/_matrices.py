"""Functions of matrices that are made of others: the determinant, the inverse, distances of rows."""

import math

import glassgrad as torch
from glassgrad._C import as_one as _as_one
from glassgrad._names import scalar_name as _scalar_name


class LinAlgError(RuntimeError):
    """A matrix that cannot be inverted."""


LinAlgError.__module__, LinAlgError.__name__, LinAlgError.__qualname__ = "torch._C", "_LinAlgError", "_LinAlgError"


def _square(name, a):
    if a.dim() < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if a.size(-1) != a.size(-2):
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {a.size(-2)} by {a.size(-1)} matrices"
        )
    if not a.is_floating_point():
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {_scalar_name(a)}")


def _each(function, *operands):
    """function of each matrix of batches that broadcast."""
    batch = torch.broadcast_shapes(*(x.shape[:-2] for x in operands))
    if not batch:
        return function(*operands)
    rows = [x.expand((*batch, *x.shape[-2:])).reshape((-1, *x.shape[-2:])) for x in operands]
    results = []
    for place, parts in enumerate(zip(*rows)):
        try:
            results.append(function(*parts))
        except LinAlgError as error:
            raise LinAlgError(str(error).replace(": ", f": (Batch element {place}): ", 1)) from None
    return torch.stack(results).reshape((*batch, *results[0].shape))


def _factors(a):
    """(rows of U, columns of L below its diagonal, the row of a at each place, 1 or −1 for their exchanges).

    L·U is a with its rows in that order, in which the largest number of a column is on the diagonal.
    """
    rows, upper, lower, order, sign = a, [], [], list(range(a.size(0))), 1
    for k in range(a.size(0)):
        pivot = int(rows[:, k].detach().abs().argmax())
        if pivot:
            places = list(range(k, a.size(0)))
            places[0], places[pivot] = places[pivot], k
            rows, sign = rows[[place - k for place in places]], -sign
            order[k], order[k + pivot] = order[k + pivot], order[k]
            for j, column in enumerate(lower):
                lower[j] = column[[*range(k - j - 1), *(place - j - 1 for place in places)]]
        upper.append(rows[0])
        lower.append(rows[1:, k] * (1 / rows[0, k]) if bool(rows[0, k] != 0) else torch.zeros_like(rows[1:, k]))
        rows = rows[1:] - lower[k].unsqueeze(1) * rows[0]
    return upper, lower, order, sign


def det(input):
    """The determinant, by elimination with exchanged rows."""
    _square("linalg.det", input)
    n = input.size(-1)

    def one(a):
        upper, _, _, sign = _factors(a)
        return torch.stack([row[k] for k, row in enumerate(upper)]).prod() * sign if n else a.new_ones(())

    # As PyTorch does, of the transposed matrix where rows lie side by side.
    return _as_one("LinalgDetBackward0", _each(one, input.mT if input.is_contiguous() else input))


def logdet(input):
    """log(det(input))."""
    _square("logdet", input)
    return _as_one("WhereBackward0", det(input).log())


def _solved(a, b, transposed, name):
    """x with a·x = b, from the factors of a or of its transposed matrix, which round differently."""
    n = a.size(0)
    upper, lower, order, _ = _factors(a.mT if transposed else a)
    zero = next((k for k in range(n) if bool(upper[k][k] == 0)), None)
    if zero is not None and name == "linalg.inv":
        raise LinAlgError(
            f"linalg.inv: The diagonal element {zero + 1} is zero, the inversion could not be completed because the "
            "input matrix is singular."
        )
    if zero is not None:
        raise LinAlgError("torch.linalg.solve: The solver failed because the input matrix is singular.")
    x = [None] * n
    for k in range(n):
        x[k] = b[k] if transposed else b[order[k]]
        for j in range(k):
            x[k] = x[k] - (upper[j][k] if transposed else lower[j][k - j - 1]) * x[j]
        x[k] = x[k] * (1 / upper[k][k]) if transposed else x[k]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            x[k] = x[k] - (lower[k][j - k - 1] if transposed else upper[k][j]) * x[j]
        x[k] = x[k] if transposed else x[k] * (1 / upper[k][k])
    places = sorted(range(n), key=order.__getitem__) if transposed else range(n)
    return torch.stack([x[place] for place in places]) if n else b


def inverse(input):
    """The matrix by which input is the unit matrix. LinAlgError: there is none."""
    _square("linalg.inv", input)
    unit = torch.eye(input.size(-1), dtype=input.dtype, device=input.device)
    flipped = input.is_contiguous()  # as PyTorch does
    return _as_one("LinalgInvExBackward0", _each(lambda a: _solved(a, unit, flipped, "linalg.inv"), input))


def solve(A, B, *, left=True):
    """x with A·x = B, of vectors or matrices B; left=False: x·A = B. LinAlgError: A is singular."""
    _square("linalg.solve", A)
    if not left:
        return solve(A.mT, B.mT).mT
    if A.dtype is not B.dtype:
        raise RuntimeError("linalg.solve: Expected A and B to have the same dtype, but found A of type "
                           f"{_scalar_name(A)} and B of type {_scalar_name(B)} instead")
    vector = B.dim() == 1 or (B.dim() == A.dim() - 1 and B.shape == A.shape[:-1])
    sides = B.unsqueeze(-1) if vector else B
    if A.size(-1) != sides.size(-2):
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation AX = B ({A.size(-2)}x{A.size(-1)} and "
            f"{sides.size(-2)}x{sides.size(-1)})"
        )
    x = _each(lambda a, b: _solved(a, b, A.is_contiguous(), "linalg.solve"), A, sides)
    return _as_one("LinalgSolveExBackward0", x.squeeze(-1) if vector else x)


def matrix_power(input, n):
    """input multiplied by itself n times; of its inverse for a negative n."""
    _square("linalg.matrix_power", input)
    if n < 0:
        return matrix_power(inverse(input), -n)
    if n == 0:
        return torch.eye(input.size(-1), dtype=input.dtype, device=input.device).expand(input.shape).clone()
    power, result = input, None
    while True:
        if n & 1:
            result = power if result is None else result @ power
        n >>= 1
        if not n:
            return result.clone() if result is input else result
        power = power @ power


_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The p-norms of the differences of each row of x1 and each of x2."""
    if x1.dim() < 2 or x2.dim() < 2:
        name, short = ("X1", x1) if x1.dim() < 2 else ("X2", x2)
        raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {short.dim()}D")
    if x1.size(-1) != x2.size(-1):
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.size(-1)} X2: {x2.size(-1)}"
        )
    for name, x in ("X1", x1), ("X2", x2):
        if not x.is_floating_point():
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {_scalar_name(x)}")
    if x1.dtype is not x2.dtype:
        raise RuntimeError(f"expected scalar type {_scalar_name(x1)} but found {_scalar_name(x2)}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    if compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    large = x1.size(-2) > 25 or x2.size(-2) > 25
    if p == 2 and (compute_mode == "use_mm_for_euclid_dist" or (large and compute_mode.endswith("if_necessary"))):
        squares, others = (x.pow(2).sum(-1, keepdim=True) for x in (x1, x2))
        first = torch.cat([x1 * -2, squares, torch.ones_like(squares)], -1)
        second = torch.cat([x2, torch.ones_like(others), others], -1)
        return _as_one("ViewBackward0", (first @ second.mT).clamp_min(0).sqrt())
    apart = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    if p == 0:
        distance = apart.abs().ceil().clamp(max=1).sum(-1)
    elif p == math.inf and apart.numel():  # each of the greatest has the whole gradient
        apart = apart.abs()
        greatest = torch.where(apart.isnan(), 0.0, apart).amax(-1).detach()
        found = (apart == greatest.unsqueeze(-1)) & apart.isfinite()
        distance = torch.where(found, apart - greatest.unsqueeze(-1), 0.0).sum(-1) + greatest
    else:
        distance = torch.linalg.vector_norm(apart, 1 if p == math.inf else p, dim=-1)
    return _as_one("CdistBackward0", distance)


def cross(input, other, dim=None):
    """The vector products along dim, the first dimension of size 3 without it."""
    if dim is None:
        dim = next((d for d, size in enumerate(input.shape) if size == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    if input.dim() != other.dim():
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if input.size(dim) != 3 or other.size(dim) != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.size(dim)} and "
                           f"{other.size(dim)}")
    torch.eq(input, other)  # which says what does not fit
    a, b = torch.broadcast_tensors(input, other)
    first = a.roll(-1, dim) * b.roll(-2, dim)
    return _as_one("LinalgCrossBackward0", first - a.roll(-2, dim) * b.roll(-1, dim))


def kron(input, other):
    """Each element of input times the whole of other, in blocks."""
    n = max(input.dim(), other.dim())
    a, b = (x.reshape((1,) * (n - x.dim()) + tuple(x.shape)) for x in (input, other))
    shape = [i * j for i, j in zip(a.shape, b.shape)]
    apart = a.reshape([part for size in a.shape for part in (size, 1)])
    blocks = apart * b.reshape([part for size in b.shape for part in (1, size)])
    return _as_one("UnsafeViewBackward0", blocks.reshape(shape))


def _at_most_two(name, x):
    if x.dim() > 2:
        raise RuntimeError(f"{name}(): expected input to have two or fewer dimensions but got an input with {x.dim()} "
                           "dimensions")


def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariances of the rows, whose columns are the observations."""
    if fweights is not None or aweights is not None:
        raise NotImplementedError("glassgrad's cov has no weights")
    _at_most_two("cov", input)
    if input.dtype is torch.bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input if input.is_floating_point() else input.float()
    x = x.reshape(1, -1) if x.dim() < 2 else x
    apart = x - x.mean(1, keepdim=True)
    return (apart @ apart.t() / max(x.size(1) - correction, 0)).squeeze()


def corrcoef(input):
    """cov, divided by the standard deviations: from −1 to 1."""
    _at_most_two("corrcoef", input)
    c = cov(input)
    if c.dim() == 0:
        return c / c
    deviation = c.diag().sqrt()
    return (c / deviation.view(-1, 1) / deviation.view(1, -1)).clip(-1, 1)


def vander(x, N=None, increasing=False):
    """The powers of each element as rows, the highest first or, with increasing, the lowest."""
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    n = x.size(0) if N is None else N
    if n < 0:
        raise RuntimeError("N must be non-negative.")
    powers = torch.arange(n, device=x.device)
    return x.unsqueeze(-1) ** (powers if increasing else powers.flip(0))
