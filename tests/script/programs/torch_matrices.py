import torch
nan, inf = float("nan"), float("inf")
def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__.replace("_LinAlgError", "RuntimeError"), e)
torch.manual_seed(3)
a, b = torch.randn(3, 3), torch.randn(3, 3)
c, d = torch.randn(2, 3, 3), torch.randn(2, 4)
s = torch.tensor([[1., 2.], [2., 4.]])
for f in (
    torch.det, torch.logdet, torch.inverse, torch.linalg.inv, torch.linalg.det, lambda x: torch.matrix_power(x, 3),
    lambda x: x.matrix_power(-2), lambda x: x.matrix_power(0), torch.corrcoef, torch.cov,
):
    for x in (a, a.t(), c, s, d, torch.ones(2), torch.arange(4).view(2, 2), torch.zeros(0, 0)):
        show(lambda: f(x))
show(lambda: torch.linalg.solve(a, b))
show(lambda: torch.linalg.solve(a, b[0]))
show(lambda: torch.linalg.solve(c, b))
show(lambda: torch.linalg.solve(a, b, left=False))
show(lambda: torch.linalg.solve(s, s))
show(lambda: torch.linalg.solve(a, torch.ones(2, 2)))
show(lambda: torch.linalg.solve(a, b.double()))
show(lambda: torch.inverse(torch.stack([torch.eye(2), s])))
for p in (2., 1., 0., 3., inf):
    show(lambda: torch.cdist(a, b, p))
    show(lambda: torch.cdist(c, b, p=p))
show(lambda: torch.cdist(torch.randn(30, 2), torch.randn(3, 2))[:2])
show(lambda: torch.cdist(a, d))
show(lambda: torch.cdist(a, b, -1))
show(lambda: torch.cdist(a, b[0]))
show(lambda: torch.cdist(a, b.double()))
show(lambda: torch.cdist(a, b, 2.0, "x"))
show(lambda: torch.cross(a, b))
show(lambda: torch.cross(a, b, dim=1))
show(lambda: torch.linalg.cross(a, b))
show(lambda: torch.cross(c, b, 1))
show(lambda: torch.cross(a, torch.ones(1, 3), dim=1))
show(lambda: torch.cross(torch.ones(2), torch.ones(2)))
show(lambda: torch.cross(torch.ones(2, 2), torch.ones(2, 2), 1))
show(lambda: torch.kron(a[:2, :2], torch.arange(2.)))
show(lambda: torch.kron(torch.arange(3), torch.tensor([[1, 2], [3, 4]])))
show(lambda: torch.cov(torch.arange(6).view(2, 3), correction=0))
show(lambda: torch.cov(c))
show(lambda: torch.cov(torch.tensor([True])))
show(lambda: torch.vander(torch.tensor([1, 2, 3])))
show(lambda: torch.vander(torch.tensor([1., 2, 3]), 2, increasing=True))
show(lambda: torch.vander(a))
show(lambda: torch.linalg.vander(torch.tensor([1, 2, 3]), N=4))
show(lambda: torch.linalg.vander(torch.tensor([1., 2, 3])))
for f in (
    torch.det, torch.logdet, torch.inverse, lambda x: x.matrix_power(3), lambda x: torch.linalg.solve(x, b),
    lambda x: torch.cdist(x, b), lambda x: torch.cross(x, b, 0), lambda x: torch.kron(x, s), torch.cov, torch.corrcoef,
):
    x = a.clone().requires_grad_()
    def run():
        y = f(x); (y * torch.arange(y.numel()).view(y.shape)).sum().backward()
        return x.grad
    show(run)
