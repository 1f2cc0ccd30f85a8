import torch
A = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
B = torch.tensor([[0.5], [-1.0]], requires_grad=True)
loss = (A @ B).pow(2).sum()
loss.backward()
print(loss, A.grad, B.grad)
b = torch.zeros(2, requires_grad=True)
((A.detach() @ B.detach()) + b).sum().backward()
print(b.grad, (A + b).grad_fn is None, A.detach().requires_grad)
