#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn gpt-attention --outputs`: takes the lesson's flags, prints what PyTorch computes.

    python3 gpt-attention.py > gpt-attention.txt                          # the golden, with PyTorch 2.6 on AVX2
    python3 gpt-attention.py --seed 7 --heads 4 --width 32 --context 16   # any other setting, to compare with the lesson
"""
import argparse

import torch
from torch import nn


def arguments(given=None):
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--inputs", help=".npy file, one row a token")
    flags.add_argument("--d-out", type=int, default=2)
    flags.add_argument("--dropout", type=float, default=0.1)
    flags.add_argument("--heads", type=int, default=12)
    flags.add_argument("--width", type=int, default=768)
    flags.add_argument("--context", type=int, default=1024)
    return flags.parse_args(given)


def token_rows(path):
    if path:
        import numpy
        return torch.from_numpy(numpy.load(path)).float()
    columns = "43 55 57 22 77 5", "15 87 85 58 25 80", "89 66 64 33 10 55"
    return torch.tensor([[int(v) / 100 for v in c.split()] for c in columns]).T.contiguous()


def later(tokens):
    """1 where the key comes after the query."""
    return torch.ones(tokens, tokens).triu(1)


def attend(queries, keys, values, hidden=None, dropout=None):
    scores = queries @ keys.transpose(-2, -1)
    if hidden is not None:
        scores.masked_fill_(hidden, -torch.inf)
    weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
    return (dropout(weights) if dropout else weights) @ values


class SelfAttention(nn.Module):
    layers, key, bias = ("W_query", "W_key", "W_value"), "W_key", True  # layers draw in this order

    def __init__(self, d_in, d_out):
        super().__init__()
        for name in self.layers:
            setattr(self, name, nn.Linear(d_in, d_out, bias=self.bias))

    def projections(self, x):
        return [getattr(self, name)(x) for name in ("W_query", self.key, "W_value")]

    def forward(self, x):
        return attend(*self.projections(x))


class CausalAttention(SelfAttention):
    layers, key, bias = ("W_keys", "W_query", "W_value"), "W_keys", False

    def __init__(self, d_in, d_out, tokens, rate):
        super().__init__(d_in, d_out)
        self.dropout = nn.Dropout(rate)
        self.register_buffer("mask", later(tokens))

    def forward(self, x):
        return attend(*self.projections(x), self.mask.bool(), self.dropout)


class MultiHeadAttention(SelfAttention):
    def __init__(self, width, heads, tokens):
        super().__init__(width, width)
        self.out_proj = nn.Linear(width, width)
        self.heads, self.hidden = heads, later(tokens).bool()

    def forward(self, x):
        heads = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in self.projections(x))
        return self.out_proj(attend(*heads, self.hidden).transpose(1, 2).contiguous().view(x.shape))


def without_weights(x):
    scores = x @ x.T
    weights = torch.softmax(scores, dim=-1)
    for matrix in scores, weights, weights @ x:
        print(matrix)


def step_by_step(x, d_out, rate):
    layers = [nn.Linear(x.shape[1], d_out) for _ in range(3)]
    for shown in layers[0], layers[0].weight, layers[0].bias:
        print(shown)
    queries, keys, values = (layer(x) for layer in layers)
    scores = queries @ keys.T / d_out ** 0.5
    for matrix in queries, keys, values, scores:
        print(matrix)
    module = SelfAttention(x.shape[1], d_out)
    print(module)
    print(module(x))
    hidden = later(len(x)).bool()
    print(hidden)
    masked = scores.masked_fill(hidden, -torch.inf)
    print(masked)
    weights = torch.softmax(masked / d_out ** 0.5, dim=1)  # like the source, divides by the root again
    print(weights)
    dropout = nn.Dropout(rate)
    print(dropout)
    print(dropout(weights))


def causal(x, d_out, rate):
    batch = torch.stack((x, x), dim=0)
    module = CausalAttention(x.shape[1], d_out, len(x), rate)
    print(module)
    print(module.mask)
    print(module(batch))
    print(module.eval()(batch))


def large(heads, width, context):
    batch = torch.rand(2, context, width)
    print(batch.shape)
    out = MultiHeadAttention(width, heads, context)(batch)
    print(out)
    print("context_vecs.shape:", out.shape)


def main(given=None):
    o = arguments(given)
    x = token_rows(o.inputs)
    torch.manual_seed(o.seed)
    without_weights(x)
    step_by_step(x, o.d_out, o.dropout)
    torch.manual_seed(o.seed)
    causal(x, o.d_out, o.dropout)
    torch.manual_seed(o.seed)
    large(o.heads, o.width, o.context)


if __name__ == "__main__":
    main()
