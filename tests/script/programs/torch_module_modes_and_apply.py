import torch
import torch.nn as nn
m = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
print(m.training, m[1].training)
m.eval()
print(m.training, m[1].training)
m.train()
def init(layer):
    if isinstance(layer, nn.Linear):
        nn.init.ones_(layer.weight)
        nn.init.zeros_(layer.bias)
m.apply(init)
print(m[0].weight, m[0].bias, m[1].training)
for p in m.parameters():
    p.requires_grad = False
print(m[0](torch.ones(1, 2)))
