import torch
import torch.nn as nn
torch.manual_seed(1)
a, b = nn.Linear(2, 2), nn.Linear(2, 2)
print(torch.equal(a.weight, b.weight))
b.load_state_dict(a.state_dict())
print(torch.equal(a.weight, b.weight), a.weight is b.weight)
for k, v in a.state_dict().items():
    print(k, v)
try:
    nn.Linear(2, 3).load_state_dict(a.state_dict())
except RuntimeError as e:
    print(str(e).split("\n")[0])
