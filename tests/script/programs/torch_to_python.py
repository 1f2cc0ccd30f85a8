import torch
x = torch.tensor([[1.5, 2.0], [3.0, -4.0]])
print(x.tolist(), x[0, 0].item(), float(x[0, 1]), int(x[1, 0]), torch.tensor(5).item(), torch.tensor([True]).item(), type(x[0, 0].item()).__name__)
print([row.sum().item() for row in x], sum(x[0]), max(x[0]), len(x), list(x[0]), bool(torch.tensor(0.0)), x[0, 0] > 1, round(x[0, 0].item(), 1))
for row in x:
    for v in row:
        print(v, end=" ")
print(torch.tensor(3) + 1, range(torch.tensor(3).item()))
x.item()
