# torch.nn.init draws the same numbers.
import torch
from torch import nn

torch.manual_seed(2)
w = torch.empty(3, 4)
for fill in (nn.init.uniform_, nn.init.normal_, nn.init.xavier_uniform_, nn.init.xavier_normal_, nn.init.kaiming_uniform_,
             nn.init.kaiming_normal_, nn.init.trunc_normal_, nn.init.ones_, nn.init.zeros_, nn.init.eye_):
    print(fill(w) is w, w)
print(nn.init.constant_(w, 0.5)[0], nn.init.uniform_(w, -0.1, b=0.1)[0], nn.init.normal_(w, std=0.02)[0])
print(nn.init.kaiming_uniform_(w, mode="fan_out", nonlinearity="relu"))
print(nn.init.xavier_uniform_(w, gain=2.0), w.requires_grad)
layer = nn.Linear(4, 2)
print(nn.init.zeros_(layer.bias), nn.init.normal_(layer.weight, 0.0, 0.02))
nn.init.xavier_uniform_(torch.empty(3))
