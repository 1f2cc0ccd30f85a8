#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn cat --outputs`: takes the lesson's flags, prints what PyTorch computes.

    python3 cat.py > cat.txt                              # the golden, with PyTorch 2.6 on AVX2
    python3 cat.py --seed 7 --heads 3 --d-out 6           # any other setting, to compare with the lesson
"""
import argparse

import torch
from torch import nn

WIDTH = HEADS = 8  # of the last class


def arguments(given=None):
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--inputs", help=".npy file, one row a token")
    flags.add_argument("--d-out", type=int, default=4)
    flags.add_argument("--heads", type=int, default=8)
    flags.add_argument("--dropout", type=float, default=0.0)
    return flags.parse_args(given)


def token_rows(path):
    if path:
        import numpy
        return torch.from_numpy(numpy.load(path)).float()
    columns = "43 55 57 22 77 5", "15 87 85 58 25 80", "89 66 64 33 10 55", "34 45 76 12 87 54"
    return torch.tensor([[int(v) / 100 for v in c.split()] for c in columns]).T.contiguous()


def attend(scores, values, rate=None):
    """Weights of scores that are scaled already, times values; with a Dropout the future is hidden."""
    weights = torch.softmax(scores, dim=-1)
    return (rate(weights) if rate else weights) @ values


def causal(queries, keys, values, dropout):
    scores = queries @ keys.transpose(-2, -1)
    scores.masked_fill_(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)
    return attend(scores / keys.shape[-1] ** 0.5, values, dropout)


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, rate):
        super().__init__()
        for name in "W_query", "W_key", "W_value":
            setattr(self, name, nn.Linear(d_in, d_out, bias=False))
        self.finish(d_out, rate)

    def finish(self, d_out, rate):
        self.dropout = nn.Dropout(rate)

    def forward(self, x):
        return causal(self.W_query(x), self.W_key(x), self.W_value(x), self.dropout)


class MultiHeadAttention(CausalAttention):
    def finish(self, d_out, rate):
        self.out_proj = nn.Linear(d_out, d_out)
        super().finish(d_out, rate)

    def forward(self, x):
        heads = (p(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for p in (self.W_query, self.W_key, self.W_value))
        context = causal(*heads, self.dropout).transpose(1, 2).contiguous()
        return self.out_proj(context.view(*x.shape[:2], WIDTH))


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, heads, d_in, d_out, rate):
        super().__init__()
        self.heads = nn.ModuleList(CausalAttention(d_in, d_out, rate) for _ in range(heads))

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


def one_sentence(x, d_out, seed):
    torch.manual_seed(seed)
    weights = [nn.Parameter(torch.rand(x.shape[1], d_out), requires_grad=False) for _ in range(3)]
    for name, weight in zip(("Query", "Key", "Value"), weights):
        print(f"{name} weight matrix shape: {weight}")
    queries, keys, values = (x @ w for w in weights)
    for name, rows in ("Queries", queries), ("Keys", keys), ("Values", values):
        print(f"{name} shape: {rows}")
    scores = queries @ keys.T
    print(scores)
    weights = torch.softmax(scores / d_out ** 0.5, dim=-1)
    print(weights)
    print(weights @ values)


def built(seed, make):
    torch.manual_seed(seed)
    module = make()
    print(module)
    return module


def main(given=None):
    o = arguments(given)
    x = token_rows(o.inputs)
    one_sentence(x, o.d_out, o.seed)
    batch = torch.stack((x, x), dim=0)
    print(batch.shape)
    d_in = batch.shape[-1]
    print(built(o.seed, lambda: CausalAttention(d_in, o.d_out, o.dropout))(batch))
    out = built(o.seed, lambda: MultiHeadAttentionWrapper(o.heads, d_in, o.d_out, o.dropout))(batch)
    print(out)
    print(out.shape)
    split = built(o.seed, lambda: MultiHeadAttention(d_in, WIDTH, o.dropout))
    out = split(batch)
    print(out)
    out.sum().backward()
    print(split.W_query.weight.grad)
    print(split.out_proj.weight.grad)


if __name__ == "__main__":
    main()
