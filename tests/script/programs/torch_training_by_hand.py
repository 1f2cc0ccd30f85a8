import torch
torch.manual_seed(0)
X = torch.randn(20, 2)
true_w = torch.tensor([2.0, -3.0])
y = X @ true_w + 0.5
w, b = torch.zeros(2, requires_grad=True), torch.zeros(1, requires_grad=True)
for step in range(30):
    loss = ((X @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for p in (w, b):
            p -= 0.1 * p.grad
            p.grad = None
    if step % 10 == 0:
        print(step, f"{loss.item():.4f}")
print(w, b)
