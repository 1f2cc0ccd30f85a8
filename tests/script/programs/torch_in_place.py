import torch
x = torch.tensor([1.0, 2.0, 3.0])
y = x
x.add_(1).mul_(2)
print(x, y is x, x.zero_(), y)
x.fill_(3)
x -= 1
x[0] = 0
x.clamp_(max=1.5)
z = x.clone()
z += 10
print(x, y, z, x.masked_fill(x > 1, -1.0), x)
x.masked_fill_(torch.tensor([True, False, False]), -torch.inf)
print(x)
