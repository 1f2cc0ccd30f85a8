import torch
print(torch.zeros(2, 3), torch.ones(3), torch.full((2, 2), 7.0), torch.arange(5), torch.arange(1, 2, 0.25), torch.eye(3))
print(torch.zeros((2, 0)), torch.linspace(0, 1, 5), torch.zeros_like(torch.ones(2)), torch.ones_like(torch.tensor([1, 2])), torch.empty(0))
print(torch.arange(10, 0, -3), torch.full((2,), 1), torch.tensor([[1], [2]]).dtype, torch.tensor([1, 2.0]).dtype, torch.tensor([True, 2]))
