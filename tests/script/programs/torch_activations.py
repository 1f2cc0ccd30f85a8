import torch
import torch.nn as nn
import torch.nn.functional as F
x = torch.tensor([-2.0, -0.5, 0.0, 0.5, 2.0])
for m in (nn.ReLU(), nn.Tanh(), nn.Sigmoid(), nn.GELU(), nn.LeakyReLU(0.1), nn.Softmax(dim=0), nn.Identity()):
    print(m, m(x))
print(F.relu(x), F.gelu(x, approximate="tanh"), F.silu(x))
