import torch
x = torch.zeros(3, 4)
x[0] = 1
x[1, 2] = 5
x[:, 3] = torch.tensor([7.0, 8.0, 9.0])
x[2, :2] = -1
x[[0, 2], 1] = 100
x[1] += 1
x[:, 0] *= 2
x[x > 50] = 0
print(x)
row = x[2]
row[0] = 42
print(x[2, 0], x[..., -1])
