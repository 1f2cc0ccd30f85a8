import torch
x = torch.arange(24).reshape(2, 3, 4)
print(x[0], x[1, 2], x[0, 1, 2], x[:, 0], x[..., -1], x[:, :, ::2], x[0, -1, 1:3], x[None].shape, x[:, None, 0].shape)
print(x[[0, 1], [1, 2]], x[torch.tensor([1, 0])][:, 0, 0], x[0][x[0] % 2 == 0], x[1][1][1].item(), x[-1, -1], x[0, :, torch.tensor([0, 3])])
