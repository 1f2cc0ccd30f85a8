import torch
x = torch.tensor([0.3, 0.9, 0.1, 0.9])
values, order = x.sort(descending=True, stable=True)
print(values, order, x.argsort(), x.topk(2).values, sorted(x.tolist()), x.unique())
