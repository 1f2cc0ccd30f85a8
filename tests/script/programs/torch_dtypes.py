import torch
x = torch.tensor([1, 2, 3])
print(x.dtype, x.float(), x.float().dtype, x.double().dtype, x.to(torch.float32), x.bool(), (x > 1).long())
print(torch.float32, torch.int64, torch.tensor([1.7]).long(), torch.zeros(2, dtype=torch.int64), (x + 0.5).dtype, (x * True).dtype, (x / 2).dtype)
print(torch.tensor([1.0], dtype=torch.float64), x.dtype == torch.int64, torch.ones(1).device)
