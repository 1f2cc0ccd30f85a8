import torch
import torch.nn as nn
class Base(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n, bias=False)
        nn.init.constant_(self.fc.weight, 0.5)
    def forward(self, x):
        return self.fc(x)
class Residual(Base):
    def __init__(self, n, scale=2.0):
        super().__init__(n)
        self.scale = scale
    def forward(self, x):
        return x + self.scale * super().forward(x)
r = Residual(3)
print(r(torch.ones(1, 3)), r, r.scale, isinstance(r, Base), [n for n, _ in r.named_parameters()])
