import torch
import torch.nn as nn
torch.manual_seed(123)
layer = nn.Linear(3, 2)
print(layer, layer.weight, layer.bias, layer.in_features, layer.weight.shape)
x = torch.ones(4, 3)
print(layer(x), layer(x).shape, nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False).bias)
layer(torch.ones(4, 2))
