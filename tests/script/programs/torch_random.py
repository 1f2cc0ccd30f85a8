import torch
torch.manual_seed(123)
print(torch.rand(2, 3), torch.randn(4), torch.randint(0, 10, (5,)), torch.randperm(6))
g = torch.Generator().manual_seed(5)
print(torch.rand(2, generator=g), torch.rand(1), torch.bernoulli(torch.full((6,), 0.5)))
torch.manual_seed(123)
print(torch.rand(2, 3))
