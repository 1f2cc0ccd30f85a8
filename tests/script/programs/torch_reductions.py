import torch
x = torch.tensor([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])
print(x.sum(), x.sum(0), x.sum(dim=1), x.sum(1, keepdim=True), x.mean(), x.mean(dim=-1), x.max(), x.min(), x.prod(), x.std(), x.var(dim=1, unbiased=False))
values, places = x.max(dim=1)
print(values, places, x.argmax(), x.argmax(dim=0), x.max(0), x.cumsum(1), x.norm(), x.median(), torch.topk(x, 2), x.sort(descending=True))
print(torch.max(x, dim=1).values, x.min(dim=1)[1], x.sum().item(), x.all(), torch.tensor([1, 2, 3]).sum())
