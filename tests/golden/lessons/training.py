#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn training --outputs`: the program of the lesson, at its own settings."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

things = {"climb": ["trees", "hills", "walls"],
          "chase": ["mice", "leaves", "shadows"],
          "cross": ["roads", "fields", "bridges"],
          "guard": ["nests", "caves", "doors"],
          "watch": ["clouds", "rivers", "stars"],
          "smell": ["flowers", "honey", "smoke"]}
events = {"cats": ["storms", "floods"],
          "monkeys": ["storms", "floods"],
          "dogs": ["holidays", "sunsets"],
          "foxes": ["holidays", "sunsets"],
          "birds": ["winters", "harvests"],
          "bears": ["winters", "harvests"]}
subjects = list(events)

sentences = []
for subject in subjects:
    for verb in things:
        is_move = verb in ("climb", "chase", "cross")
        event = events[subject][0 if is_move else 1]
        for thing in things[verb]:
            sentences.append([subject, verb, thing, "during", event])
print(" ".join(sentences[0]))
print(" ".join(sentences[-1]))

vocabulary = sorted({word for sentence in sentences for word in sentence})
number = {word: k for k, word in enumerate(vocabulary)}
ids = torch.tensor(
    [[number[word] for word in sentence] for sentence in sentences])
held_out = {"cats": "climb", "monkeys": "guard", "dogs": "chase",
            "foxes": "watch", "birds": "cross", "bears": "smell"}
apart = torch.tensor([held_out[s[0]] == s[1] for s in sentences])
known = ids[~apart]
unseen = ids[apart]
print(len(sentences), "sentences,", len(vocabulary), "different words")

training = [s for s in sentences if held_out[s[0]] != s[1]]
followers = {}
for sentence in training:
    for n in range(1, 5):
        followers.setdefault(tuple(sentence[:n]), []).append(sentence[n])

def surprise(sentence, n):
    choices = followers[tuple(sentence[:n])]
    return -math.log(choices.count(sentence[n]) / len(choices))

surprises = torch.tensor(
    [[surprise(s, n) for n in range(1, 5)] for s in training])
allowed = surprises.mean(dim=0)
lowest = allowed.mean()
print(f"the lowest loss: {lowest:.4f}")

class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width)
        self.switch = torch.ones(heads, 1, 1)  # 0 takes a head away

    def forward(self, x):
        batch, n, width = x.shape
        cut = (batch, n, self.heads, width // self.heads)
        queries = self.query(x).view(cut).transpose(1, 2)
        keys = self.key(x).view(cut).transpose(1, 2)
        values = self.value(x).view(cut).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) * cut[3]**-0.5
        future = torch.triu(torch.ones(n, n), diagonal=1) == 1
        masked = scores.masked_fill(future, -torch.inf)
        weights = torch.softmax(masked, dim=-1)
        found = weights @ values * self.switch
        return self.out(found.transpose(1, 2).reshape(batch, n, width))

class GPT(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.token = nn.Embedding(len(vocabulary), width)
        self.position = nn.Embedding(4, width)
        self.drop = nn.Dropout(dropout)
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, 2)
        self.norm2 = nn.LayerNorm(width)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.norm3 = nn.LayerNorm(width)
        self.guess = nn.Linear(width, len(vocabulary))

    def forward(self, words):
        places = torch.arange(words.shape[1])
        x = self.drop(self.token(words) + self.position(places))
        x = x + self.drop(self.attention(self.norm1(x)))
        x = x + self.drop(self.feed_forward(self.norm2(x)))
        return self.guess(self.norm3(x))

heads = 2
width = 24
assert width % heads == 0, "--width must be even"
dropout = 0.0
torch.manual_seed(123)
model = GPT(width, dropout)
print(sum(p.numel() for p in model.parameters()), "weights")

def test(model):
    model.eval()
    with torch.no_grad():
        logits = model(unseen[:, :-1])
        losses = F.cross_entropy(
            logits.flatten(0, 1), unseen[:, 1:].flatten(), reduction="none")
        right = logits[:, -1].argmax(dim=-1) == unseen[:, -1]
    return losses.view(-1, 4).mean(dim=0), right.float().mean()

before, right_before = test(model)
print(f"loss {before.mean():.2f}, "
      f"last word right {100 * right_before:.0f} %")

def write(model, subject):
    model.eval()
    words = [subject]
    while len(words) < 5:
        with torch.no_grad():
            read = torch.tensor([[number[word] for word in words]])
            logits = model(read)[0, -1]
        drawn = torch.multinomial(torch.softmax(logits, dim=-1), 1)
        words.append(vocabulary[drawn.item()])
    return " ".join(words)

for subject in subjects[:3]:
    print(write(model, subject))

def draw():
    return known[torch.randint(0, len(known), (32,))]

model.train()
batch = draw()
logits = model(batch[:, :-1])
loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())

loss.backward()
during = number["during"]
w = model.guess.bias[during].detach().clone()
g = model.guess.bias.grad[during]

said = torch.softmax(logits.detach(), dim=-1)[..., during].mean()
wanted = (batch[:, 1:] == during).float().mean()

m = 0.9 * 0 + 0.1 * g
v = 0.999 * 0 + 0.001 * g**2

m_hat = m / (1 - 0.9**1)
v_hat = v / (1 - 0.999**1)

lr = 0.005
decayed = w * (1 - lr * 0.01)
direction = m_hat / (v_hat.sqrt() + 1e-8)
new_w = decayed - lr * direction

optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)
optimizer.step()
w_of_optimizer = model.guess.bias[during].detach().clone()

batch = draw()
second_loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1),
                              batch[:, 1:].flatten())
optimizer.zero_grad()
second_loss.backward()
g2 = model.guess.bias.grad[during]

m2 = 0.9 * m + 0.1 * g2
v2 = 0.999 * v + 0.001 * g2**2
m2_hat = m2 / (1 - 0.9**2)
v2_hat = v2 / (1 - 0.999**2)
direction2 = m2_hat / (v2_hat.sqrt() + 1e-8)
new_w2 = w_of_optimizer * (1 - lr * 0.01) - lr * direction2
optimizer.step()
w2_of_optimizer = model.guess.bias[during].detach().clone()

def train(model, optimizer, steps):
    model.train()
    losses = []
    for step in range(steps):
        batch = draw()
        logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses

steps = 300
losses = [loss.detach(), second_loss.detach()]
losses = torch.stack(losses + train(model, optimizer, steps - 2))
end = losses[-20:].mean()
print(f"first loss {losses[0]:.2f}, mean of the last ones {end:.2f}")

after, right_after = test(model)
print(f"loss {after.mean():.2f}, "
      f"last word right {100 * right_after:.0f} %")
places = torch.stack([before, after, allowed]).round(decimals=2)

samples = [write(model, subject) for subject in subjects]
for sample in samples:
    print(sample)

prompt = ids[:1, :4]
with torch.no_grad():
    answer = torch.softmax(model(prompt)[0, -1], dim=-1)
storms = answer[number["storms"]]
print(" ".join(sentences[0][:4]), vocabulary[answer.argmax().item()])

def result(name, model):
    right = test(model)[1]
    with torch.no_grad():
        p = torch.softmax(model(prompt)[0, -1], dim=-1)[number["storms"]]
    print(f"{name}: storms {p:.2f}, last word right {100 * right:.0f} %")
    return torch.stack([p, right])

rows = [result("both heads", model)]
for h in range(heads):
    model.attention.switch[h] = 0
    rows.append(result(f"without head {h}", model))
    model.attention.switch[h] = 1
without = torch.stack(rows)

def trial(width, lr, dropout, steps):
    torch.manual_seed(123)
    model = GPT(width, dropout)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)
    losses = torch.stack(train(model, optimizer, steps))
    loss, right = test(model)
    return torch.stack([losses[-20:].mean(), loss.mean(), right])

third = max(steps // 3, 1)
rates = torch.stack(
    [trial(24, rate, 0.0, third) for rate in (0.0002, 0.005, 0.05, 0.5)])
print("in training:", [f"{row[0]:.1f}" for row in rates[:2]])

rates_of_dropout = torch.stack(
    [trial(24, 0.005, p, steps) for p in (0.0, 0.2, 0.5)])
print("in training:", [f"{row[0]:.1f}" for row in rates_of_dropout])

widths = torch.stack(
    [trial(width, 0.005, 0.0, third) for width in (4, 8, 24, 64)])
print("in training:", [f"{row[0]:.1f}" for row in widths])
