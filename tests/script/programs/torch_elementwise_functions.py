import torch
x = torch.tensor([-1.0, 0.0, 0.5, 2.0])
for f in (torch.exp, torch.tanh, torch.sigmoid, torch.relu, torch.abs, torch.sign, torch.floor, torch.ceil, torch.round, torch.neg):
    print(f(x))
print(x.clamp(-0.5, 1), x.clamp(min=0), x.pow(2), x.abs().sqrt(), torch.sqrt(torch.tensor(4.0)), x.exp().log(), torch.maximum(x, -x), x.square())
