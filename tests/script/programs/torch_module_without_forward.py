import torch
import torch.nn as nn
class Empty(nn.Module):
    pass
m = Empty()
print(m, list(m.parameters()), m.training)
m(torch.ones(1))
