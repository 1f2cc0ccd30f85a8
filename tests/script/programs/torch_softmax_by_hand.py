import torch
def softmax_naive(x):
    return torch.exp(x) / torch.exp(x).sum(dim=0)
x = torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])
print(softmax_naive(x), softmax_naive(x).sum(), torch.softmax(x, dim=0), x / x.sum())
