import torch
for x in (torch.tensor([1.0, 2.5, -3.0]), torch.tensor([[1, 2], [3, 4]]), torch.tensor(3.14159), torch.tensor([True, False]),
          torch.tensor([1e-8, 1.0, 1e8]), torch.tensor([]), torch.tensor([[0.1234567]]), torch.tensor([float("inf"), float("nan"), 1.0])):
    print(x)
    print(x.shape, x.dtype)
print(torch.tensor([1.0], requires_grad=True), f"{torch.tensor(2.5)}", f"{torch.tensor(2.5):.3f}", [torch.tensor(1)])
