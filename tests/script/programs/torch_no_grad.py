import torch
w = torch.tensor([1.0, -1.0], requires_grad=True)
with torch.no_grad():
    y = w * 2
    w -= 0.5
print(y.requires_grad, w, (w * 2).requires_grad)
@torch.no_grad()
def predict(x):
    return (w * x).sum()
print(predict(torch.ones(2)), predict(torch.ones(2)).requires_grad, torch.is_grad_enabled())
with torch.no_grad():
    print(torch.is_grad_enabled(), torch.ones(1, requires_grad=True) + 1)
