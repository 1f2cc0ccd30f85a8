import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x * 2, x.sum(), torch.exp(x), x @ x, x[0], x.view(2, 1), torch.softmax(x, 0), (x > 1), x.mean() / 2, -x, x.detach())
