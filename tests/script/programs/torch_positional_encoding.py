import math
import torch
n, d = 4, 6
pe = torch.zeros(n, d)
position = torch.arange(n).unsqueeze(1).float()
div = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
pe[:, 0::2] = torch.sin(position * div)
pe[:, 1::2] = torch.cos(position * div)
print(pe.shape, [f"{v:.3f}" for v in pe[1].tolist()], (pe.abs() <= 1).all())
