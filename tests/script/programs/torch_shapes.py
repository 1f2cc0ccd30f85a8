import torch
x = torch.arange(12)
y = x.view(3, 4)
print(y.shape, y.size(), y.size(0), y.shape[-1], len(y), y.ndim, y.dim(), y.numel(), tuple(y.shape), list(y.shape))
print(y.T, y.reshape(2, -1), y.transpose(0, 1).shape, y.permute(1, 0).shape, y.flatten().shape, y.unsqueeze(0).shape, y.unsqueeze(-1).squeeze(-1).shape)
rows, cols = y.shape
print(rows, cols, y.shape == (3, 4), y.shape == torch.Size([3, 4]), y.stride(), y.T.is_contiguous(), y.T.contiguous().is_contiguous())
print(y.expand(2, 3, 4).shape, x[:3].repeat(2), y.chunk(2), y.split(2))
