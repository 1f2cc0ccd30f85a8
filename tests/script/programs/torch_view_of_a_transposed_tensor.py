import torch
x = torch.arange(6).view(2, 3).transpose(0, 1)
print(x.reshape(6), x.contiguous().view(6))
x.view(6)
