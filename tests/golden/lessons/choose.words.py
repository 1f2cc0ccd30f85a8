#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn choose.words --outputs`: the program of the lesson, at its own settings."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

counts = {"cats climb trees": 9, "cats climb walls": 4,
          "cats climb hills": 2, "cats chase mice": 6,
          "dogs chase cats": 5, "dogs chase mice": 2,
          "cats chase dogs": 1, "dogs climb hills": 1}
sentences = [text.split() for text, n in counts.items() for _ in range(n)]
vocabulary = sorted({word for sentence in sentences for word in sentence})
number = {word: k for k, word in enumerate(vocabulary)}
pairs = torch.tensor([[number[a], number[b]]
                      for s in sentences for a, b in zip(s, s[1:])])
print(len(sentences), "sentences,", len(vocabulary), "different words")

class NextWord(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.table = nn.Embedding(words, width)
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, ids):
        rows = self.table(ids)
        logits = self.head(rows)
        return logits

torch.manual_seed(5)
model = NextWord(len(vocabulary), 4)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.05, weight_decay=0.0)
for _ in range(20):
    loss = F.cross_entropy(model(pairs[:, 0]), pairs[:, 1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    loss = F.cross_entropy(model(pairs[:, 0]), pairs[:, 1])
print(f"loss {loss:.4f}")

text = "cats climb"
ids = torch.tensor([number[word] for word in text.split()])
output = model(ids)
last = output[-1].detach()
print(last)

probabilities = torch.softmax(last, dim=-1)
print(probabilities)

def greedy(subject):
    words = [subject]
    while len(words) < 3:
        with torch.no_grad():
            logits = model(torch.tensor([number[words[-1]]]))[-1]
        words.append(vocabulary[logits.argmax().item()])
    return " ".join(words)

written = [greedy(subject) for subject in ("cats", "dogs") * 3]
for sentence in written:
    print(sentence)

edges = probabilities.cumsum(dim=-1)
u = torch.rand(5, 1)
chosen = (edges <= u).sum(dim=-1)

us = torch.rand(10000, 1)
chosen = (edges <= us).sum(dim=-1)
by_hand = chosen.bincount(minlength=len(vocabulary)) / 10000
drawn = torch.multinomial(probabilities, 10000, replacement=True)
by_torch = drawn.bincount(minlength=len(vocabulary)) / 10000
shares = torch.stack([probabilities, by_hand, by_torch])

T = 2.0

weights = torch.softmax(last / T, dim=-1)
shares = weights / weights.sum()

temperatures = torch.tensor([0.25, 0.5, 1.0, 2.0, 4.0])
logs = torch.log_softmax(last / temperatures[:, None], dim=-1)
by_temperature = logs.exp()
entropy = -(by_temperature * logs).sum(dim=-1)
perplexity = entropy.exp()
print(perplexity)

target = last.argmax()
scores = last.clone().requires_grad_()
loss_T = -torch.log_softmax(scores / T, dim=-1)[target]

loss_T.backward()
without_T = probabilities - F.one_hot(target, len(vocabulary))

k = 3
threshold = torch.topk(last, k).values[-1]

cut = last.masked_fill(last < threshold, -torch.inf)
shares = torch.softmax(cut, dim=-1)

top_p = 0.9
ordered, order = torch.sort(probabilities, descending=True)
sums = ordered.cumsum(dim=-1)

kept = sums - ordered < top_p
kept_sum = (ordered * kept).sum()
shares = ordered * kept / kept_sum

asked = ["cats", "dogs", "climb", "chase"]
with torch.no_grad():
    ids = torch.tensor([number[word] for word in asked])
    rows = torch.softmax(model(ids), dim=-1)
ordered = rows.sort(dim=-1, descending=True).values
by_p = (ordered.cumsum(dim=-1) - ordered < top_p).sum(dim=-1)
of_k = ordered[:, :k].sum(dim=-1)
print(by_p)

def choose(logits, temperature=1.0, top_k=None, top_p=None):
    logits = logits / temperature
    if top_k is not None:
        threshold = torch.topk(logits, top_k, dim=-1).values[..., -1:]
        logits = logits.masked_fill(logits < threshold, -torch.inf)
    if top_p is not None:
        ordered, order = torch.softmax(logits, dim=-1).sort(descending=True)
        drop = ordered.cumsum(dim=-1) - ordered >= top_p
        drop = drop.scatter(-1, order, drop)
        logits = logits.masked_fill(drop, -torch.inf)
    return torch.multinomial(torch.softmax(logits, dim=-1), 1)

next_ids = choose(last.expand(6, -1), T, k, top_p).flatten()
print(" ".join(vocabulary[n] for n in next_ids.tolist()))

known = {(a, b) for s in sentences for a, b in zip(s, s[1:])}

def write(**how):
    ids = torch.full((200, 1), number["cats"])
    for _ in range(2):
        with torch.no_grad():
            logits = model(ids[:, -1])
        ids = torch.cat([ids, choose(logits, **how)], dim=1)
    return [[vocabulary[n] for n in row] for row in ids.tolist()]

ways = {"T = 1": {}, "T = 2": {"temperature": 2.0},
        "T = 2, top-k 3": {"temperature": 2.0, "top_k": 3},
        "T = 2, top-p 0.9": {"temperature": 2.0, "top_p": 0.9}}
rows = []
for name, how in ways.items():
    texts = write(**how)
    sense = [(a, b) in known and (b, c) in known for a, b, c in texts]
    share = sum(sense) / len(texts)
    rows.append([share, len({tuple(text) for text in texts})])
    first = " ".join(texts[0])
    print(f"{name}: {100 * share:g} % of 200 make sense. "
          f"The first: {first}")
results = torch.tensor(rows)
