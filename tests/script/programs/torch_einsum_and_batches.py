import torch
a = torch.arange(6.0).view(2, 3)
print(torch.einsum("ij,kj->ik", a, a), torch.einsum("ij->j", a), torch.bmm(a.view(1, 2, 3), a.view(1, 3, 2)), torch.matmul(a, a[0]), torch.outer(a[0], a[1]), a.mm(a.t()))
