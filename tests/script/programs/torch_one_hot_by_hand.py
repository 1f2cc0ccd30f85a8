import torch
import torch.nn.functional as F
ids = torch.tensor([2, 0, 1])
hot = torch.zeros(3, 4)
hot[torch.arange(3), ids] = 1.0
W = torch.arange(8.0).view(4, 2)
print(hot, torch.equal(hot @ W, W[ids]), F.one_hot(ids, 4), F.one_hot(ids).shape)
