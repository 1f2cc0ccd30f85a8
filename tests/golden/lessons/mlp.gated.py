#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn mlp.gated --outputs`: the program of the lesson, at its own settings."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.fc = nn.Linear(width, hidden, bias=False)
        self.proj = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        wide = self.fc(x)
        bent = F.gelu(wide, approximate="tanh")
        return self.proj(bent)

torch.manual_seed(4)
width = 4
hidden = 5
x = torch.randn(3, width).round(decimals=1)
plain = FeedForward(width, hidden)
nn.init.normal_(plain.fc.weight)
with torch.no_grad():
    of_plain = plain(x)

line = torch.tensor([-6.0, -3.0, -1.0, 0.0, 1.0, 3.0, 6.0])
bends = torch.stack([F.relu(line), F.gelu(line, approximate="tanh"),
                     F.silu(line)])
bends = bends.round(decimals=2)
print(bends)

h = torch.randn(2, 4).round(decimals=1)
share = 1 / (1 + torch.exp(-h))
silu = h * share
total = silu.sum()

points = line.clone().requires_grad_()
loss = F.silu(points).sum()

loss.backward()
step_size = 0.001
up = F.silu(line.double() + step_size)
down = F.silu(line.double() - step_size)
measured = (up - down) / (2 * step_size)
s = torch.sigmoid(line)
formula = s + line * s * (1 - s)

class SwiGLU(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gate_proj = nn.Linear(width, hidden, bias=False)
        self.up_proj = nn.Linear(width, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        gate = self.gate_proj(x)
        up = self.up_proj(x)
        opened = F.silu(gate)
        passed = opened * up
        return self.down_proj(passed)

gated = SwiGLU(width, hidden)
nn.init.normal_(gated.gate_proj.weight)
nn.init.normal_(gated.up_proj.weight)
of_gated = gated(x)
print(of_gated)

w_gate = gated.gate_proj.weight[0]
w_up = gated.up_proj.weight[0]
dot_gate = (x[1] * w_gate).sum()
dot_up = (x[1] * w_up).sum()
by_hand = dot_gate / (1 + torch.exp(-dot_gate)) * dot_up

with torch.no_grad():
    growth = torch.stack([net(2e6 * x).norm() / net(1e6 * x).norm()
                          for net in (plain, gated)])

gate, up = gated.gate_proj(x), gated.up_proj(x)

passed = F.silu(gate) * up
result = gated.down_proj(passed)
off = (result - of_gated).abs().max()

passed = F.silu(gate) * up
smallest = passed.amin(dim=-1)

widths = torch.tensor([48, 768, 4096])
of_gelu = 2 * widths * 4 * widths

between = 8 * widths // 3
numbers = 3 * widths * between
ratio = numbers / of_gelu

gate = gated.gate_proj(x).detach().requires_grad_()
up = gated.up_proj(x).detach().requires_grad_()
passed = F.silu(gate) * up
passed.retain_grad()
loss = gated.down_proj(passed).sum()

loss.backward()
g = passed.grad
with torch.no_grad():
    share = torch.sigmoid(gate)
    slope = share + gate * share * (1 - share)
    up_by_hand = g * F.silu(gate)
    gate_by_hand = g * up * slope

k = share.argmin()
gate_there = gate.detach().flatten()[k]
share_there = share.flatten()[k]
up_grad_there = up.grad.flatten()[k]
arrives = g.flatten()[k]

def train(net):
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.02)
    losses = []
    for _ in range(150):
        rows = torch.randn(32, 4)
        wanted = rows[:, 0] * rows[:, 1]
        loss = ((net(rows)[:, 0] - wanted)**2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)[-20:].mean()

torch.manual_seed(4)
nets = [FeedForward(4, 12), SwiGLU(4, 8)]
sizes = torch.tensor([sum(p.numel() for p in net.parameters())
                      for net in nets])
ends = torch.stack([train(net) for net in nets])
print(f"GELU {ends[0]:.2f}, gated {ends[1]:.2f}")
