import torch
x = torch.tensor(3.0, requires_grad=True)
y = x ** 2 + 2 * x + 1
y.backward()
print(y, x.grad, x, y.requires_grad, x.is_leaf, y.is_leaf, y.grad_fn is not None)
x.grad = None
(x * x * x).backward()
print(x.grad)
x.grad.zero_()
print(x.grad)
