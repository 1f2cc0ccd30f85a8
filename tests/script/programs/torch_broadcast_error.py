import torch
print(torch.ones(2, 1) + torch.ones(3))
torch.ones(2, 3) + torch.ones(2)
