import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 3)
        self.scale = nn.Parameter(torch.ones(3))
        self.register_buffer("steps", torch.zeros(1))
        self.plain = torch.ones(2)
    def forward(self, x):
        self.steps += 1
        return self.a(x) * self.scale
net = Net()
for name, p in net.named_parameters():
    print(name, tuple(p.shape), p.requires_grad)
print(sum(p.numel() for p in net.parameters()), list(net.state_dict()), [n for n, _ in net.named_modules()], [type(c).__name__ for c in net.children()])
net(torch.ones(1, 2))
print(net.steps, isinstance(net.scale, nn.Parameter), isinstance(net.scale, torch.Tensor), net)
