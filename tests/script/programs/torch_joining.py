import torch
a, b = torch.tensor([[1, 2]]), torch.tensor([[3, 4]])
print(torch.cat([a, b]), torch.cat((a, b), dim=1), torch.stack([a, b]).shape, torch.stack((a[0], b[0]), dim=1), torch.cat([a, b, a], dim=-1))
first, second = torch.cat([a, b])
print(first, second, torch.stack([torch.tensor(1), torch.tensor(2)]), [t.tolist() for t in torch.cat([a, b]).unbind(1)])
torch.cat([a, torch.tensor([[1, 2, 3]])])
