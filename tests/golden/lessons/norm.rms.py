#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn norm.rms --outputs`: the program of the lesson, at its own settings."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(3)
width = 4
size = torch.tensor([1.0, 2.0, 1.5, 6.0])
middle = torch.tensor([0.0, 2.0, 0.0, 0.0])
x = torch.randn(4, width) * size[:, None] + middle[:, None]
x = x.round(decimals=2)
length = x.norm(dim=-1)
print(x)

class LayerNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        centred = x - mean
        variance = (centred**2).mean(dim=-1, keepdim=True)
        normed = centred / (variance + self.eps).sqrt()
        return normed * self.weight + self.bias

eps = 0.00001
layer_norm = LayerNorm(width, eps)
of_layer_norm = layer_norm(x)

rms = ((x**2).mean(dim=-1, keepdim=True) + eps).sqrt()
normed = x / rms

size_before = (x**2).mean(dim=-1).sqrt()
size_after = (normed**2).mean(dim=-1).sqrt()
cosine = F.cosine_similarity(x, normed, dim=-1)
cosine_of_layer_norm = F.cosine_similarity(x, of_layer_norm, dim=-1)

class RMSNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        mean_square = (x**2).mean(dim=-1, keepdim=True)
        root = (mean_square + self.eps).sqrt()
        return x / root * self.weight

rms_norm = RMSNorm(width, eps)
of_rms_norm = rms_norm(x)
of_torch = F.rms_norm(x, (width,), eps=eps)
wide = x.double()
exact = wide / ((wide**2).mean(dim=-1, keepdim=True) + eps).sqrt()
learned = torch.tensor([sum(p.numel() for p in norm.parameters())
                        for norm in (layer_norm, rms_norm)])
print(of_rms_norm)

factor = 10.0
def moved(norm):
    before = norm(x)
    return torch.stack([(norm(factor * x) - before).abs().max(),
                        (norm(x + 3) - before).abs().max()])

with torch.no_grad():
    noticed = torch.stack([moved(layer_norm), moved(rms_norm)])
    noticed = noticed.round(decimals=3)

mean_square = (x**2).mean(dim=-1)
variance = x.var(dim=-1, unbiased=False)
square_of_mean = x.mean(dim=-1)**2
centred = x - x.mean(dim=-1, keepdim=True)
with torch.no_grad():
    both = torch.stack([layer_norm(centred)[1], rms_norm(centred)[1]])

top = x
result = top / ((top**2).mean(dim=-1, keepdim=True) + eps).sqrt()
means = result.mean(dim=-1).round(decimals=4)

small = torch.tensor([1.0, 0.1, 0.01, 0.001, 0.0001])
rows = normed[1] * small[:, None]

root = ((rows**2).mean(dim=-1, keepdim=True) + eps).sqrt()
after = ((rows / root)**2).mean(dim=-1).sqrt()

inside = torch.zeros(width, requires_grad=True)
outside = torch.zeros(width, requires_grad=True)
loss_inside = (inside / ((inside**2).mean() + eps).sqrt()).sum()
loss_outside = (outside / ((outside**2).mean().sqrt() + eps)).sum()

loss_inside.backward()
loss_outside.backward()

stored = (0.1 * torch.randn(width)).round(decimals=2)

weight = 1 + stored
result = F.rms_norm(x, (width,), weight, eps)
size = (result**2).mean(dim=-1).sqrt()

squares = torch.tensor([255.0, 256.0]).half()**2
big = torch.tensor([300.0, -200.0, 100.0, 250.0]).half()

wide = big.float()
mean_square = (wide**2).mean()
result = (wide / (mean_square + eps).sqrt()).half()

nn.init.uniform_(rms_norm.weight, 0.5, 2.5)
g = torch.randn(4, width).round(decimals=1)
row = x.clone().requires_grad_()
loss = (rms_norm(row) * g).sum()

loss.backward()
weight = rms_norm.weight.detach()
h = g * weight
mean = (h * normed).mean(dim=-1, keepdim=True)
by_hand = (h - normed * mean) / rms
weight_by_hand = (g * normed).sum(dim=0)

with torch.no_grad():
    layer_norm.weight.copy_(rms_norm.weight)
row_2 = x.clone().requires_grad_()
loss_2 = (layer_norm(row_2) * g).sum()

loss_2.backward()
sums = torch.stack([row_2.grad.sum(dim=-1), row.grad.sum(dim=-1)])
along = torch.stack([(row_2.grad * x).sum(dim=-1),
                     (row.grad * x).sum(dim=-1)])
sums = sums.round(decimals=3)
along = along.round(decimals=3)

large = (factor * x).requires_grad_()
loss_3 = (rms_norm(large) * g).sum()

rms_norm.zero_grad()
loss_3.backward()
lengths = torch.stack([row.grad.norm(dim=-1), large.grad.norm(dim=-1)])
ratio = lengths[1] / lengths[0]

text = ("cats climb trees cats chase mice dogs chase cats dogs climb hills "
        "cats climb walls mice chase dogs trees climb cats").split()
vocabulary = sorted(set(text))
ids = torch.tensor([vocabulary.index(word) for word in text])

class NextWord(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.table = nn.Embedding(len(vocabulary), width)
        self.norm = norm
        self.head = nn.Linear(width, len(vocabulary), bias=False)

    def forward(self, ids):
        return self.head(self.norm(self.table(ids)))

def train(norm):
    torch.manual_seed(3)
    model = NextWord(norm)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    losses = []
    for _ in range(60):
        loss = F.cross_entropy(model(ids[:-1]), ids[1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)

losses = torch.stack([train(LayerNorm(width, eps)),
                      train(RMSNorm(width, eps))])
first = losses[:, 0]
last = losses[:, -1]
print(f"LayerNorm {losses[0, -1]:.4f}, RMSNorm {losses[1, -1]:.4f}")
