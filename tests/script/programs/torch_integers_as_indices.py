import torch
x = torch.arange(10)
i = torch.tensor(3)
print(x[i], x[i:6], x[torch.tensor([1, 1, 2])], [10, 20, 30, 40][i], list(range(5))[i], "abcdef"[i], x[i.item()], x[-i])
print(x[x > 6], (x > 6).nonzero(), torch.nonzero(x == 4).item(), x.gather(0, torch.tensor([5, 0])), torch.arange(i))
