import torch
x = torch.zeros(2, 3)
v, r, t, c = x.view(6), x[0], x.T, x.clone()
v[0] = 1
r[1] = 2
t[2, 1] = 3
print(x, c, x.data_ptr() == v.data_ptr())
a = torch.arange(3)
b = a.detach()
b[0] = 100
print(a)
