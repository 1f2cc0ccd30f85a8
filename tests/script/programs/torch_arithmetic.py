import torch
a, b = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0, 6.0])
print(a + b, a - 1, 2 * a, a / b, a ** 2, -a, a // 2, a % 2, 1 / a, 10 - b, 2 ** a, abs(-a))
print(a + torch.tensor([[10.0], [20.0]]), a @ b, a * True, torch.tensor([1, 2]) * 1.5, torch.tensor([1, 2]) / 2, torch.tensor([7, -7]) // 2, torch.tensor([7, -7]) % 3)
