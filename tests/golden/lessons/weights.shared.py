#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn weights.shared --outputs`: the program of the lesson, at its own settings."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class NextWord(nn.Module):
    def __init__(self, words, width, tied):
        super().__init__()
        self.table = nn.Embedding(words, width)
        self.layer = nn.Linear(width, width, bias=False)
        self.head = nn.Linear(width, words, bias=False)
        if tied:
            self.head.weight = self.table.weight

    def forward(self, ids):
        rows = self.table(ids)
        states = self.layer(rows)
        return self.head(states)

torch.manual_seed(3)
width = 3
text = "dogs chase cats and cats chase mice"
vocabulary = sorted(set(text.split()))
ids = torch.tensor([vocabulary.index(word) for word in text.split()])
tied = NextWord(len(vocabulary), width, tied=True)
separate = NextWord(len(vocabulary), width, tied=False)
sizes = torch.tensor([sum(p.numel() for p in model.parameters())
                      for model in (separate, tied)])
print(sizes)

with torch.no_grad():
    tied.table.weight[3, 0] = 2.0
table = tied.table.weight.detach().clone()
head = tied.head.weight.detach().clone()

targets = ids[1:]
logits = tied(ids[:-1])
loss = F.cross_entropy(logits, targets)
print(loss)

with torch.no_grad():
    separate.table.weight.copy_(tied.table.weight)
    separate.head.weight.copy_(tied.table.weight)
    separate.layer.weight.copy_(tied.layer.weight)
loss = F.cross_entropy(tied(ids[:-1]), targets)
two_loss = F.cross_entropy(separate(ids[:-1]), targets)

loss.backward()
two_loss.backward()
tied_grad = tied.table.weight.grad.clone()
table_grad = separate.table.weight.grad.clone()
head_grad = separate.head.weight.grad.clone()
both = table_grad + head_grad

with torch.no_grad():
    E, W = tied.table.weight, tied.layer.weight
    read = ids[:-1]
    states = E[read] @ W.T
    right = F.one_hot(targets, len(vocabulary))
    g = (torch.softmax(states @ E.T, dim=-1) - right) / len(targets)
    from_head = g.T @ states
    from_table = torch.zeros(E.shape).index_add(0, read, g @ E @ W)
    shared = from_table + from_head
    moved = E - 0.1 * shared

def one_step(model, optimizer):
    loss = F.cross_entropy(model(ids[:-1]), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model = NextWord(len(vocabulary), width, tied=False)
model.head.weight = model.table.weight
one_step(model, torch.optim.SGD(model.parameters(), lr=1.0))
apart = (model.head.weight - model.table.weight).abs().max()
numbers = torch.tensor(sum(p.numel() for p in model.parameters()))

begin = torch.randn(len(vocabulary), width)

model = NextWord(len(vocabulary), width, tied=False)
matrix = nn.Parameter(begin.clone())
model.table.weight = model.head.weight = matrix
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
one_step(model, optimizer)
moved = (matrix - begin).norm()
gradient = matrix.grad.norm()

model = NextWord(len(vocabulary), 64, tied=True)
nn.init.normal_(model.table.weight, std=0.02)
first_loss = F.cross_entropy(model(ids[:-1]), targets)
far = (first_loss - math.log(len(vocabulary))).abs()

def train(model, parameters, ids):
    optimizer = torch.optim.Adam(parameters, lr=0.05)
    for _ in range(150):
        loss = F.cross_entropy(model(ids[:-1]), ids[1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

def loss_on(model, ids):
    with torch.no_grad():
        return F.cross_entropy(model(ids[:-1]), ids[1:])

new_text = "mice chase dogs and dogs chase cats"
new_ids = torch.tensor([vocabulary.index(word)
                        for word in new_text.split()])
model = NextWord(len(vocabulary), 8, tied=True)
train(model, model.parameters(), ids)
losses = torch.stack([loss_on(model, ids), loss_on(model, new_ids)])
print(losses)

class LoRA(nn.Module):
    def __init__(self, linear, rank):
        super().__init__()
        self.linear = linear
        wide = linear.in_features
        self.A = nn.Parameter(torch.randn(rank, wide) / wide**0.5)
        self.B = nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x):
        narrow = x @ self.A.T
        change = narrow @ self.B.T
        return self.linear(x) + change

rank = 2
model.zero_grad()
model.requires_grad_(False)
model.layer = LoRA(model.layer, rank)
learns = [p for p in model.parameters() if p.requires_grad]
numbers = torch.tensor([sum(p.numel() for p in learns),
                        sum(p.numel() for p in model.parameters())])
lora_logits = model(new_ids[:-1])
lora_loss = F.cross_entropy(lora_logits, new_ids[1:])

loss = F.cross_entropy(model(new_ids[:-1]), new_ids[1:])

loss.backward()
A_grad = model.layer.A.grad.clone()
B_grad = model.layer.B.grad.clone()
print(model.table.weight.grad)
with torch.no_grad():
    x = model.table(new_ids[:-1])
    right = F.one_hot(new_ids[1:], len(vocabulary))
    g = (torch.softmax(model(new_ids[:-1]), dim=-1) - right) / len(right)
    G = g @ model.head.weight
    narrow = x @ model.layer.A.T
    B_by_hand = G.T @ narrow

x = torch.randn(4, 8)

first = torch.randn(rank, 8) / 8**0.5
fresh = LoRA(nn.Linear(8, 8, bias=False), rank)
with torch.no_grad():
    fresh.A.copy_(first)
fresh(x).pow(2).sum().backward()
B_size = fresh.B.grad.norm()
A_size = fresh.A.grad.norm()

frozen = model.layer.linear.weight.clone()
train(model, learns, new_ids)
after = torch.stack([loss_on(model, ids), loss_on(model, new_ids)])
BA = model.layer.B.detach() @ model.layer.A.detach()
frozen_moved = (model.layer.linear.weight - frozen).abs().max()
print(after)

with_lora = model(new_ids[:-1]).detach()
lora = model.layer
model.layer = nn.Linear(8, 8, bias=False)
with torch.no_grad():
    model.layer.weight.copy_(lora.linear.weight + lora.B @ lora.A)
merged = model(new_ids[:-1]).detach()
model.layer = lora.linear
back = torch.stack([loss_on(model, ids), loss_on(model, new_ids)])
print(back)
