import torch
a, b = torch.ones(2, 3), torch.ones(2, 3)
print((a @ b.T).shape)
a @ b
