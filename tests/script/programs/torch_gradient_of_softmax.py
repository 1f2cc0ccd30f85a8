import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
p = torch.softmax(x, dim=0)
p[1].backward()
q = p.detach()
jacobian = torch.diag(q) - q.unsqueeze(1) * q.unsqueeze(0)
print(x.grad, torch.allclose(x.grad, jacobian[1], atol=1e-6), x.grad.sum().abs() < 1e-6)
