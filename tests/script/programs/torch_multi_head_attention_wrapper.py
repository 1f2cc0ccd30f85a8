import torch
import torch.nn as nn
class Head(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.q, self.k, self.v = [nn.Linear(d_in, d_out, bias=False) for _ in range(3)]
    def forward(self, x):
        w = torch.softmax(self.q(x) @ self.k(x).transpose(-2, -1), dim=-1)
        return w @ self.v(x)
class Wrapper(nn.Module):
    def __init__(self, d_in, d_out, num_heads):
        super().__init__()
        self.heads = nn.ModuleList([Head(d_in, d_out) for _ in range(num_heads)])
    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)
torch.manual_seed(123)
m = Wrapper(3, 2, 2)
print(m(torch.rand(2, 3, 3)), m, len(m.heads), m.heads[1].q.weight)
for name, p in m.named_parameters():
    print(name, tuple(p.shape))
