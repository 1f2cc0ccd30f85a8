#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn gpt.scalars --outputs`: the program of the lesson, at its own settings."""
import math
import random

names = "anna emma hanna lena mia nina".split()
letters = ["."] + sorted(set("".join(names)))
number = {letter: k for k, letter in enumerate(letters)}
print(letters)

class Value:
    made = 0

    def __init__(self, data, children=(), slopes=()):
        self.data = data
        self.children = children
        self.slopes = slopes
        self.grad = 0.0
        Value.made += 1
        self.number = Value.made

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, n):
        return Value(self.data**n, (self,), (n * self.data**(n - 1),))

    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), (e,))

    def log(self):
        return Value(math.log(self.data), (self,), (1 / self.data,))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data > 0 else 0.0,))

    def backward(self):
        found, waiting = {self}, [self]
        while waiting:
            for child in waiting.pop().children:
                if child not in found:
                    found.add(child)
                    waiting.append(child)
        self.grad = 1.0
        for value in sorted(found, key=lambda v: v.number, reverse=True):
            for child, slope in zip(value.children, value.slopes):
                child.grad += slope * value.grad

def table(values):
    print("number      data      grad   children (slope)")
    for v in values:
        children = ", ".join(f"{child.number} ({slope:.4f})"
                             for child, slope in zip(v.children, v.slopes))
        line = f"{v.number:6} {v.data:9.4f} {v.grad:9.4f}   {children}"
        print(line.rstrip())

a = Value(2.0)
b = Value(-3.0)
product = a * b
c = product + a
table([a, b, product, c])

c.backward()
table([a, b, product, c])

context = 6
width = 4
heads, hidden = 2, 8
assert width % heads == 0, "--width must be even"
random.seed(7)

def matrix(rows, columns):
    return [[Value(random.uniform(-0.6, 0.6)) for _ in range(columns)]
            for _ in range(rows)]

weights = {"letter": matrix(len(letters), width), "place": matrix(context, width),
           "query": matrix(width, width), "key": matrix(width, width),
           "value": matrix(width, width), "out": matrix(width, width),
           "up": matrix(hidden, width), "down": matrix(width, hidden),
           "head": matrix(len(letters), width)}
parameters = [w for rows in weights.values() for row in rows for w in row]
print(len(parameters))
table(weights["query"][0])

def total(values):
    return sum(values[1:], values[0])

def dot(xs, ys):
    return total([x * y for x, y in zip(xs, ys)])

def add(xs, ys):
    return [x + y for x, y in zip(xs, ys)]

def linear(x, rows):
    return [dot(x, row) for row in rows]

def norm(x):
    scale = (dot(x, x) * (1 / len(x)) + 1e-5)**-0.5
    return [v * scale for v in x]

def softmax(scores):
    largest = max(s.data for s in scores)
    exps = [(s + -largest).exp() for s in scores]
    share = total(exps)**-1
    return [e * share for e in exps]

shares = softmax([Value(1.0), Value(3.0), Value(2.0)])
table(shares)

def attention(x, keys, values):
    query = linear(x, weights["query"])
    keys.append(linear(x, weights["key"]))
    values.append(linear(x, weights["value"]))
    gathered, size = [], width // heads
    for start in range(0, width, size):
        end = start + size
        scores = [dot(query[start:end], key[start:end]) * size**-0.5
                  for key in keys]
        chances = softmax(scores)
        gathered += [dot(chances, [v[k] for v in values])
                     for k in range(start, end)]
    return linear(gathered, weights["out"])

def gpt(letter, place, keys, values):
    x = add(weights["letter"][letter], weights["place"][place])
    x = add(x, attention(norm(x), keys, values))
    raised = [v.relu() for v in linear(norm(x), weights["up"])]
    x = add(x, linear(raised, weights["down"]))
    return linear(norm(x), weights["head"])

before = Value.made
scores = gpt(0, 0, [], [])
chances = softmax(scores)
made_by_one = Value.made - before
print(made_by_one)
table(scores)
for letter, chance in zip(letters, chances):
    print(letter, f"{chance.data:.4f}")

def loss_of(name):
    ids = [number[letter] for letter in "." + name + "."]
    keys, values, losses = [], [], []
    for place, letter in enumerate(ids[:-1]):
        chances = softmax(gpt(letter, place, keys, values))
        losses.append(chances[ids[place + 1]].log() * -1.0)
    return total(losses) * (1 / len(losses))

before = Value.made
loss = loss_of("lena")
made_by_name = Value.made - before
print(f"{loss.data:.4f}", made_by_name)
table([loss, *loss.children])

loss.backward()
table(weights["query"][0])
table(weights["head"][number["a"]])
used = sum(w.grad != 0 for w in parameters)
print(used, "of", len(parameters))

path = [loss]
while any(child.children for child in path[-1].children):
    value = path[-1]
    slopes = [abs(slope) if child.children else -1.0
              for child, slope in zip(value.children, value.slopes)]
    path.append(value.children[slopes.index(max(slopes))])
table(path[:6])
print("...")
table(path[-3:])
table(path[-1].children)

weight = weights["key"][1][0]
gradient, kept, step = weight.grad, weight.data, 1e-4
weight.data = kept + step
higher = loss_of("lena").data
weight.data = kept - step
lower = loss_of("lena").data
weight.data = kept
measured = (higher - lower) / (2 * step)
print(f"{gradient:.6f} {measured:.6f}")

for p in parameters:
    p.grad = 0.0
untrained = [loss_of(name).data for name in names]
steps = 36
means, squares = [0.0] * len(parameters), [0.0] * len(parameters)
losses = []
for step in range(steps):
    loss = loss_of(names[step % len(names)])
    loss.backward()
    losses.append(loss.data)
    rate = 0.05 * (1 - step / steps)
    for k, p in enumerate(parameters):
        means[k] = 0.85 * means[k] + 0.15 * p.grad
        squares[k] = 0.99 * squares[k] + 0.01 * p.grad**2
        mean = means[k] / (1 - 0.85**(step + 1))
        square = squares[k] / (1 - 0.99**(step + 1))
        p.data -= rate * mean / (square**0.5 + 1e-8)
        p.grad = 0.0
    if (step + 1) % 12 == 0:
        print(step + 1, f"{loss.data:.4f}")

trained = [loss_of(name).data for name in names]
for name, first, last in zip(names, untrained, trained):
    print(f"{name:6} {first:.4f} {last:.4f}")
keys, values = [], []
for place, letter in enumerate(".len"):
    chances = softmax(gpt(number[letter], place, keys, values))
for letter, chance in zip(letters, chances):
    print(letter, f"{chance.data:.4f}")

for _ in range(5):
    letter, name, keys, values = 0, "", [], []
    while len(name) < context:
        chances = softmax(gpt(letter, len(name), keys, values))
        letter = random.choices(range(len(letters)),
                                weights=[c.data for c in chances])[0]
        if letter == 0:
            break
        name += letters[letter]
    print(name)

import torch

a = Value(2.0)
b = Value(-3.0)
c = a * b + a

c.grad, a.grad, b.grad = 1.0, 0.0, 0.0
first = c.children[0]
first.grad = 0.0
for value in (c, first):
    for child, slope in zip(value.children, value.slopes):
        child.grad += slope * value.grad
grads = torch.tensor([a.grad, b.grad])

a = Value(2.0)
x = a * a
c = x + x * 3.0

found = [c]
for value in found:
    value.grad = 0.0
    found += [child for child in value.children if child not in found]
c.grad = 1.0
order = sorted(found, key=lambda v: v.number, reverse=True)
for value in order:
    for child, slope in zip(value.children, value.slopes):
        child.grad += slope * value.grad
grads = torch.tensor([x.grad, a.grad])

def trained_on(cleared):
    a, seen = Value(1.0), []
    for _ in range(8):
        (a * a).backward()
        a.data -= 0.3 * a.grad
        a.grad = a.grad * cleared
        seen.append(a.data)
    return seen

cleared = 0.0
curve = torch.tensor(trained_on(cleared))

start = random.uniform(0.2, 1.0)

x = Value(start)
t = math.tanh(x.data)
y = Value(t, (x,), (1 - t * t,))
y.backward()
both = torch.tensor([y.data, x.grad])

for p in parameters:
    p.data = round(p.data, 3)
    p.grad = 0.0

def tensor_of(rows):
    data = [[w.data for w in row] for row in rows]
    return torch.tensor(data, dtype=torch.float64, requires_grad=True)

matrices = {name: tensor_of(rows) for name, rows in weights.items()}

def normed(x):
    return x * ((x * x).mean(dim=-1, keepdim=True) + 1e-5)**-0.5

def gpt_of_tensors(ids):
    n, size = len(ids), width // heads
    x = matrices["letter"][ids] + matrices["place"][:n]
    y = normed(x)
    query, key, value = [
        (y @ matrices[name].T).view(n, heads, size).transpose(0, 1)
        for name in ("query", "key", "value")]
    scores = query @ key.transpose(1, 2) * size**-0.5
    later = torch.ones(n, n).triu(1).bool()
    chances = torch.softmax(scores.masked_fill(later, -torch.inf), dim=-1)
    gathered = (chances @ value).transpose(0, 1).reshape(n, width)
    x = x + gathered @ matrices["out"].T
    x = x + torch.relu(normed(x) @ matrices["up"].T) @ matrices["down"].T
    return normed(x) @ matrices["head"].T

ids = [number[letter] for letter in ".lena."]
logits = gpt_of_tensors(ids[:-1])

keys, values, rows = [], [], []
for place, letter in enumerate(ids[:-1]):
    rows.append(gpt(letter, place, keys, values))
scalar_logits = torch.tensor([[s.data for s in row] for row in rows],
                             dtype=torch.float64)
loss = loss_of("lena")
loss.backward()
tensor_loss = torch.nn.functional.cross_entropy(logits, torch.tensor(ids[1:]))
tensor_loss.backward()
gap = (logits - scalar_logits).abs().max().item()
print(gap < 1e-12)
print(f"{loss.data:.6f} {tensor_loss.item():.6f}")

scalar_grads = {name: torch.tensor([[w.grad for w in row] for row in rows],
                                   dtype=torch.float64)
                for name, rows in weights.items()}
for name, x in matrices.items():
    gap = (x.grad - scalar_grads[name]).abs().max().item()
    print(f"{name:6} {x.numel():3} numbers", gap < 1e-12)
gaps = [(x.grad - scalar_grads[name]).abs().max().item()
        for name, x in matrices.items()]
query_of_tensors = matrices["query"].grad.float()
query_of_scalars = scalar_grads["query"].float()
