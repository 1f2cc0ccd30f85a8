#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn journey --outputs`: takes the lesson's flags, prints what PyTorch computes.

    python3 journey.py > journey.txt                      # the golden, with PyTorch 2.6 on AVX2
    python3 journey.py --seed 7 --heads 3 --d-out 6       # any other setting, to compare with the lesson

`make bench` times this program beside the lesson.
"""
import argparse
import math

import torch
from torch import nn


def arguments(given=None):
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--seed-v2", type=int, default=789)
    flags.add_argument("--inputs", help=".npy file, one row a token")
    flags.add_argument("--d-out", type=int, default=2)
    flags.add_argument("--heads", type=int, default=2)
    flags.add_argument("--dropout", type=float, default=0.5)
    return flags.parse_args(given)


def token_rows(path):
    if path:
        import numpy
        return torch.from_numpy(numpy.load(path)).float()
    columns = "43 55 57 22 77 5", "15 87 85 58 25 80", "89 66 64 33 10 55"  # hundredths; one string per dimension
    return torch.tensor([[int(v) / 100 for v in c.split()] for c in columns]).T.contiguous()


def future(n):
    return torch.triu(torch.ones(n, n), diagonal=1)


def attend(queries, keys, values):
    scores = queries @ keys.T
    return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values


class Projections(nn.Module):
    """Queries, keys and values of one attention class; drawn in this order."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(d_in, d_out, bias=False) for _ in range(3))


class Causal(Projections):
    def forward(self, x):
        tokens, keys = x.shape[1], self.key(x)
        scores = self.query(x) @ keys.transpose(1, 2)
        scores.masked_fill_(future(tokens).bool(), -torch.inf)
        return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ self.value(x)


class Split(Projections):
    """One projection, cut into heads after it."""

    def __init__(self, d_in, d_out, heads):
        super().__init__(d_in, d_out)
        self.heads, self.out = heads, nn.Linear(d_out, d_out)

    def forward(self, x):
        batch, tokens, _ = x.shape
        q, k, v = (p(x).view(batch, tokens, self.heads, -1).transpose(1, 2) for p in (self.query, self.key, self.value))
        scores = q @ k.transpose(2, 3)
        scores.masked_fill_(future(tokens).bool(), -torch.inf)
        context = torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1) @ v
        return self.out(context.transpose(1, 2).contiguous().view(batch, tokens, -1))


def without_weights(x):
    second = x[1]
    scores = torch.stack([torch.dot(row, second) for row in x])
    print(scores)
    for weights in scores / scores.sum(), torch.softmax(scores, dim=0):
        print("Attention weights:", weights)
        print("Sum:", weights.sum())
    context = torch.zeros(second.shape)
    for weight, row in zip(weights, x):
        context += weight * row
    print(context)
    scores = x @ x.T
    print(scores)
    weights = torch.softmax(scores, dim=-1)
    print(weights)
    digits = "%.4e" if "e-" in str(weights) else "%.4f"  # in the format in which the matrix was printed
    print("Row 2 sum:", math.fsum(float(digits % weight) for weight in weights[1].tolist()))  # like sum() since Python 3.12
    print("All row sums:", weights.sum(dim=-1))
    print(weights @ x)
    print("Previous 2nd context vector:", context)


def with_weights(x, d_out, seed, seed_v2):
    torch.manual_seed(seed)
    w_query, w_key, w_value = (torch.rand(x.shape[1], d_out) for _ in range(3))
    query, keys, values = x[1] @ w_query, x @ w_key, x @ w_value
    print(query)
    print("keys.shape:", keys.shape)
    print("values.shape:", values.shape)
    print(query.dot(keys[1]))
    scores = query @ keys.T
    print(scores)
    weights = torch.softmax(scores / d_out ** 0.5, dim=-1)
    print(weights)
    print(weights @ values)
    torch.manual_seed(seed)
    v1 = [nn.Parameter(torch.rand(x.shape[1], d_out)) for _ in range(3)]
    print(attend(*(x @ w for w in v1)))
    torch.manual_seed(seed_v2)
    v2 = Projections(x.shape[1], d_out)
    print(attend(v2.query(x), v2.key(x), v2.value(x)))
    return v2


def masks_and_dropout(x, v2, seed, rate):
    keys = v2.key(x)
    scores, n, root = v2.query(x) @ keys.T, len(x), keys.shape[-1] ** 0.5
    weights = torch.softmax(scores / root, dim=-1)
    lower = torch.tril(torch.ones(n, n))
    print(weights)
    print(lower)
    masked = weights * lower
    print(masked)
    print(masked / masked.sum(dim=-1, keepdim=True))
    masked = scores.masked_fill(future(n).bool(), -torch.inf)
    print(masked)
    weights = torch.softmax(masked / root, dim=-1)
    print(weights)
    dropout = nn.Dropout(rate)
    for target in torch.ones(6, 6), weights:
        torch.manual_seed(seed)
        print(dropout(target))


def classes(x, d_out, heads, seed):
    batch = torch.stack((x, x))
    print(batch.shape)
    d_in = x.shape[1]
    torch.manual_seed(seed)
    outputs = [Causal(d_in, d_out)(batch)]
    torch.manual_seed(seed)
    parts = [Causal(d_in, d_out) for _ in range(heads)]
    outputs.append(torch.cat([part(batch) for part in parts], dim=-1))
    torch.manual_seed(seed)
    outputs.append(Split(d_in, d_out, heads)(batch))
    for context in outputs:
        print(context)
        print("context_vecs.shape:", context.shape)


def two_products():
    w = torch.tensor([2745, 6584, 2775, 8573, 8993, 390, 9268, 7388, 7179, 7058, 9156, 4340,
                      772, 3565, 1479, 5331, 4066, 2318, 4545, 9737, 4606, 5159, 4220, 5786], dtype=torch.float64)
    a = (w / 10000).float().view(1, 2, 3, 4)
    print(a @ a.transpose(2, 3))
    for label, head in zip(("First head:\n", "\nSecond head:\n"), a[0]):
        print(label, head @ head.T)


def main(given=None):
    o = arguments(given)
    x = token_rows(o.inputs)
    without_weights(x)
    v2 = with_weights(x, o.d_out, o.seed, o.seed_v2)
    masks_and_dropout(x, v2, o.seed, o.dropout)
    classes(x, o.d_out, o.heads, o.seed)
    two_products()


if __name__ == "__main__":
    main()
