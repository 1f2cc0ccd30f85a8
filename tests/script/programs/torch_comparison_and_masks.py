import torch
x = torch.tensor([[1.0, -2.0], [3.0, 0.0]])
print(x > 0, x == 3, x != 0, x <= -2, (x > 0) & (x < 2), (x > 2) | (x < 0), ~(x > 0), x[x > 0])
x[x < 0] = 0
print(x, (x > 0).sum(), (x > 0).any(), (x >= 0).all(), torch.where(x > 1, x, torch.zeros_like(x)), bool((x == x).all()))
print(1 < torch.tensor(2), torch.tensor([1, 2]) == torch.tensor([1, 3]), torch.equal(x, x.clone()), torch.allclose(x, x + 1e-9))
