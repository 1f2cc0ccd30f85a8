import torch
n = 4
print(torch.tril(torch.ones(n, n)), torch.triu(torch.ones(n, n), diagonal=1), torch.tril(torch.ones(2, 3)).bool())
scores = torch.arange(16.0).view(4, 4)
mask = torch.triu(torch.ones(n, n), diagonal=1)
masked = scores.masked_fill(mask.bool(), -torch.inf)
print(masked)
print(torch.softmax(masked, dim=-1))
