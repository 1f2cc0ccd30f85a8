"""Decompositions and functions of matrices, as far as orthogonal weights need them: (…, n, k) with n ≥ k."""

import glassgrad as torch
from glassgrad._C import as_one


def householder_product(A, tau):
    """The first k columns of H₁·…·H_k, H_i = I − τ_i·v_i·v_iᵀ; v_i is column i of A below the diagonal, 1 on it."""
    n, k = A.size(-2), A.size(-1)
    eye = torch.eye(n, k, dtype=A.dtype, device=A.device)
    vectors = A.tril(-1) + eye
    Q = eye.expand(A.shape)
    for i in reversed(range(k)):
        v = vectors[..., i:i + 1]
        Q = Q - tau[..., i, None, None] * v @ (v.mT @ Q)
    return Q


def geqrf(A):
    """(QR, tau): R on and above the diagonal and the vectors of householder_product below it, as LAPACK has them."""
    A = A.clone()
    n, k = A.size(-2), A.size(-1)
    taus = []
    for i in range(k):
        column = A[..., i:, i:i + 1]
        head, rest = column[..., :1, :], column[..., 1:, :]
        length = (column * column).sum(-2, keepdim=True).sqrt()
        norm_of_rest = (rest * rest).sum(-2, keepdim=True)
        beta = torch.where(head >= 0, -length, length)
        is_done = norm_of_rest == 0  # LAPACK keeps such a column, and its sign
        tau = torch.where(is_done, 0.0, (beta - head) / torch.where(is_done, 1.0, beta))
        v = torch.cat([torch.ones_like(head), rest / torch.where(is_done, 1.0, head - beta)], -2)
        after = A[..., i:, i + 1:]
        A[..., i:, i + 1:] = after - tau * v @ (v.mT @ after)
        A[..., i:, i:i + 1] = torch.cat([torch.where(is_done, head, beta), v[..., 1:, :]], -2)
        taus.append(tau[..., 0, 0])
    return A, torch.stack(taus, -1)


def made_orthogonal(A):
    """The Q of A = QR with a diagonal of R that is not negative."""
    X, tau = geqrf(A)
    return householder_product(X, tau) * X.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def is_orthogonal(Q):
    """Whether QᵀQ is the identity, but for rounding."""
    eye = torch.eye(Q.size(-1), dtype=Q.dtype, device=Q.device)
    return torch.allclose(Q.mT @ Q, eye, atol=10.0 * Q.size(-2) * torch.finfo(Q.dtype).eps)


def matrix_exp(A):
    """e to the power of the matrix: a Taylor polynomial of A/2ˢ, squared s times."""
    with torch.no_grad():
        norm = float(A.abs().sum(-2).max()) if A.numel() else 0.0
    squarings = 0
    while norm > 0.25:
        norm, squarings = norm / 2, squarings + 1
    A = A / 2 ** squarings
    eye = torch.eye(A.size(-1), dtype=A.dtype, device=A.device)
    terms = 8 if A.dtype is torch.float32 else 14
    result = eye + A / terms
    for i in reversed(range(1, terms)):
        result = eye + A @ result / i
    for _ in range(squarings):
        result = result @ result
    return as_one("LinalgMatrixExpBackward0", result)
