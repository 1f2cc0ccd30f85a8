#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn position.rope --outputs`: the program of the lesson, at its own settings."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

width = 4
assert width % 2 == 0, "the width must be even"
torch.manual_seed(6)
x = torch.randn(4, width).round(decimals=1)

def attend(queries, keys, values):
    weights = torch.softmax(queries @ keys.T / width**0.5, dim=-1)
    return weights @ values

forwards = attend(x, x, x)
backwards = attend(x.flip(0), x.flip(0), x.flip(0)).flip(0)

table = nn.Embedding(4, width)
with_positions = x + table(torch.arange(4))

try:
    table(torch.tensor([4]))
except IndexError as error:
    pass

base = 100.0
def angles(positions):
    speeds = base ** (-torch.arange(0, width, 2) / width)
    return positions[:, None] * speeds

places = torch.arange(6)
angle = angles(places)
waves = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
dots = waves @ waves.T

theta = torch.tensor(1.0)
a = x[:, 0]
b = x[:, 1]
turned = torch.stack([a * theta.cos() - b * theta.sin(),
                      a * theta.sin() + b * theta.cos()])
before = (a**2 + b**2).sqrt()
after = turned.norm(dim=0)

def rope_pairs(x, positions):
    angle = angles(positions)
    cos = angle.cos()
    sin = angle.sin()
    a = x[:, 0::2]
    b = x[:, 1::2]
    turned = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1)
    return turned.flatten(1)

places = torch.arange(4)
rotated = rope_pairs(x, places)
lengths = torch.stack([x.norm(dim=-1), rotated.norm(dim=-1)])

def matrix(position):
    big = torch.zeros(width, width)
    for k, angle in enumerate(angles(torch.tensor([position]))[0]):
        big[2*k:2*k+2, 2*k:2*k+2] = torch.tensor(
            [[angle.cos(), -angle.sin()], [angle.sin(), angle.cos()]])
    return big

matrices = torch.stack([matrix(i) for i in range(4)])
by_matrix = (matrices @ x[:, :, None])[:, :, 0]
relative = matrices[1].T @ matrices[3]
at_2 = matrices[2]

query = x[0].repeat(6, 1)
key = x[1].repeat(6, 1)
places = torch.arange(6)
scores = rope_pairs(query, places) @ rope_pairs(key, places).T
print(scores)

shift = 100
def scores_from(start):
    places = torch.arange(4) + start
    return rope_pairs(x, places) @ rope_pairs(x, places).T

at_start = scores_from(0)
later = scores_from(shift)

def rope_halves(x, positions):
    angle = angles(positions)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * angle.cos() - b * angle.sin(),
                      a * angle.sin() + b * angle.cos()], dim=-1)

places = torch.arange(4)
order = torch.arange(width).view(-1, 2).T.flatten()
of_halves = rope_halves(x, places)
reordered = rope_halves(x[:, order], places)

W_query = torch.randn(width, width)
W_key = torch.randn(width, width)
right_queries = rope_pairs(x @ W_query.T, places)
right = right_queries @ rope_pairs(x @ W_key.T, places).T

use = order
queries = rope_halves(x @ W_query[use].T, places)
keys = rope_halves(x @ W_key[use].T, places)
scores = queries @ keys.T
off = (scores - right).abs().max().round(decimals=3)

def head(places):
    turned = rope_pairs(x, places)
    given = x
    return attend(turned, turned, given)

context = head(torch.arange(4))
moved = head(torch.arange(4) + shift)
change = (context - moved).abs().max().round(decimals=3)

places = torch.arange(4)
cache = rope_pairs(x, places)
full = (rope_pairs(x, places) @ cache.T)[-1]

place = torch.tensor([3])
new = (rope_pairs(x[-1:], place) @ cache.T)[0]

distance = torch.tensor([1, 10, 100, 1000])
k = torch.arange(8)
def far_scores(of_base):
    angle = distance[:, None] * of_base ** (-k / 8)
    return angle.cos().sum(dim=-1)

file_base = 500000.0
far = far_scores(file_base)
off = (far - far_scores(500000.0)).abs()

query = x.clone().requires_grad_()
turned = rope_pairs(query, torch.arange(4))
turned.retain_grad()
score = turned[3] @ rotated[0]

score.backward()
arrives = turned.grad[3]
leaves = query.grad[3]
turned_back = matrices[3].T @ arrives

class Head(nn.Module):
    def __init__(self, words, size, turn):
        super().__init__()
        self.table = nn.Embedding(words, size)
        self.W_query = nn.Linear(size, width)
        self.W_key = nn.Linear(size, width)
        self.out = nn.Linear(size, words)
        self.turn = turn

    def forward(self, ids, start=0):
        x = self.table(ids)
        queries = self.W_query(x)
        keys = self.W_key(x)
        if self.turn:
            places = torch.arange(len(ids)) + start
            queries = rope_pairs(queries, places)
            keys = rope_pairs(keys, places)
        scores = queries @ keys.T / width**0.5
        weights = torch.softmax(scores, dim=-1)
        return self.out(weights @ x)

def train(turn):
    torch.manual_seed(6)
    model = Head(4, 8, turn)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    losses = []
    for _ in range(200):
        ids = torch.randint(0, 4, (12,))
        loss = F.cross_entropy(model(ids)[1:], ids[:-1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return model, torch.stack(losses)[-20:].mean()

without, loss_without = train(False)
model, loss_with = train(True)
print(f"without positions {loss_without:.2f}, with {loss_with:.2f}")

ids = torch.randint(0, 4, (8,))
with torch.no_grad():
    here = model(ids)
    there = model(ids, start=shift)
moved_by = (here - there).abs().max().round(decimals=3)
