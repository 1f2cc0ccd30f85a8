import torch
import torch.nn as nn
torch.manual_seed(123)
drop = nn.Dropout(0.5)
x = torch.ones(4, 4)
print(drop(x), drop, drop.training)
drop.eval()
print(drop(x), drop.training, nn.functional.dropout(x, 0.2, training=False).sum())
nn.Dropout(1.5)
