import copy
import torch
from torch import nn
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
y, z = copy.deepcopy(x), copy.copy(x)
print(y, y.grad, y.is_leaf, y.grad is x.grad, z)
with torch.no_grad():
    x[0] = 5
print(x, y, z)
p = nn.Parameter(torch.ones(2), requires_grad=False)
q = copy.deepcopy(p)
print(q, type(q).__name__, copy.deepcopy(torch.arange(3)), copy.deepcopy(torch.float32))
try:
    copy.deepcopy(x * 2)
except RuntimeError as error:
    print(error)
net = nn.Linear(2, 1)
state = copy.deepcopy(net.state_dict())
with torch.no_grad():
    net.weight.zero_()
print(state["weight"].abs().sum() > 0, net.weight, list(state))
shared = copy.deepcopy({"a": p, "b": [p]})
print(shared["a"] is shared["b"][0])
