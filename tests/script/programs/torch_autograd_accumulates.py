import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    (w * torch.tensor([1.0, 10.0])).sum().backward()
    print(i, w.grad)
w.grad = None
print(w.grad)
