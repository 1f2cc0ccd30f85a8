import torch
def f(x): return (torch.sin(x) * x ** 2).sum()
x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
f(x).backward()
h = 1e-6
for i in range(2):
    step = torch.zeros(2, dtype=torch.float64)
    step[i] = h
    with torch.no_grad():
        slope = (f(x + step) - f(x - step)) / (2 * h)
    print(abs(slope - x.grad[i]).item() < 1e-6, f"{x.grad[i].item():.6f}")
