"""A tiny character model of scalars, as people write them with Python's library alone."""
import math
import os
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import List

random.seed(42)


@dataclass
class Config:
    width: int = 4
    steps: int = 8
    rate: float = 0.2
    names: List[str] = field(default_factory=lambda: ["anna", "bob", "otto", "nina"])

    @property
    def letters(self):
        return sorted(set("".join(self.names)))


class Value:
    __slots__ = ("data", "grad", "_children", "_slopes")

    def __init__(self, data, children=(), slopes=()):
        self.data = data
        self.grad = 0
        self._children = children
        self._slopes = slopes

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1, 1))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), (e,))

    def log(self):
        return Value(math.log(self.data), (self,), (1 / self.data,))

    def __pow__(self, n):
        return Value(self.data ** n, (self,), (n * self.data ** (n - 1),))

    def __neg__(self):
        return self * -1

    def __radd__(self, other):
        return self + other

    def __truediv__(self, other):
        return self * other ** -1

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for child in v._children:
                    visit(child)
                order.append(v)
        visit(self)
        self.grad = 1
        for v in reversed(order):
            for child, slope in zip(v._children, v._slopes):
                child.grad += slope * v.grad


config = Config()
if not os.path.exists("names.txt"):
    print("the names are built in:", Counter("".join(config.names)).most_common(3))
letters = ["."] + config.letters
places = {c: k for k, c in enumerate(letters)}
matrix = lambda rows, columns: [[Value(random.gauss(0, 0.3)) for _ in range(columns)] for _ in range(rows)]
embedding, output = matrix(len(letters), config.width), matrix(len(letters), config.width)
parameters = [p for m in (embedding, output) for row in m for p in row]


def linear(x, w):
    return [sum(wi * xi for wi, xi in zip(row, x)) for row in w]


def softmax(logits):
    top = max(v.data for v in logits)
    exps = [(v + -top).exp() for v in logits]
    total = sum(exps)
    return [e / total for e in exps]


for step in range(config.steps):
    tokens = [places[c] for c in "." + config.names[step % len(config.names)] + "."]
    losses = [-softmax(linear(embedding[a], output))[b].log() for a, b in zip(tokens, tokens[1:])]
    loss = sum(losses) / len(losses) if False else sum(losses) * (1 / len(losses))
    for p in parameters:
        p.grad = 0
    loss.backward()
    for p in parameters:
        p.data -= config.rate * p.grad
    print(f"step {step + 1:2d}/{config.steps} | loss {loss.data:.4f}")
token, name = 0, []
for _ in range(6):
    token = random.choices(range(len(letters)), weights=[p.data for p in softmax(linear(embedding[token], output))])[0]
    name.append(letters[token])
print("".join(name))
