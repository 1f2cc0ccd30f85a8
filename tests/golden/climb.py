#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn climb --outputs`: takes the lesson's flags, prints what PyTorch computes.

    python3 climb.py > climb.txt                               # the golden, with PyTorch 2.6 on AVX2
    python3 climb.py --seed 7 --context 3 --head-size 5        # any other setting, to compare with the lesson
"""
import argparse

import torch
from torch import nn


def arguments(given=None):
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--inputs", help=".npy file, (batch, tokens, features); (tokens, features) is taken twice")
    flags.add_argument("--context", type=int, default=4)
    flags.add_argument("--width", type=int, default=6)
    flags.add_argument("--head-size", type=int, default=4)
    return flags.parse_args(given)


def batch_of(o):
    if not o.inputs:
        return torch.randn(2, o.context, o.width)
    import numpy
    x = torch.from_numpy(numpy.load(o.inputs)).float()
    return x if x.dim() == 3 else torch.stack((x, x))


def only_the_past(scores, mask):
    return scores.masked_fill(mask == 0, -torch.inf)


class SimpleAverageSelfAttention(nn.Module):
    def __init__(self, batch, tokens):
        super().__init__()
        self.register_buffer("mask", torch.ones(tokens, tokens).tril())
        self.register_buffer("start", torch.zeros(batch, tokens, tokens))

    def forward(self, x):
        return only_the_past(self.start, self.mask).softmax(dim=-1) @ x


class SingleSelfAttentionHead(nn.Module):
    def __init__(self, tokens, width, size):
        super().__init__()
        for name in "key", "query", "value":
            setattr(self, name, nn.Linear(width, size, bias=False))
        self.register_buffer("mask", torch.ones(tokens, tokens).tril())

    def forward(self, x):
        k, q = self.key(x), self.query(x)
        scores = q @ k.mT * k.shape[-1] ** -0.5
        return only_the_past(scores, self.mask).softmax(dim=-1) @ self.value(x)


def show_average(x):
    average = SimpleAverageSelfAttention(*x.shape[:2])
    masked = only_the_past(average.start, average.mask)
    weights = masked.softmax(dim=-1)
    for shown in average, average.mask, average.start, masked, weights, weights.sum(dim=-1), average(x):
        print(shown)


def main(given=None):
    o = arguments(given)
    torch.manual_seed(o.seed)
    x = batch_of(o)
    print(x)
    show_average(x)

    head = SingleSelfAttentionHead(*x.shape[1:], o.head_size)
    out = head(x)
    for shown in head, out, out.shape:
        print(shown)

    q, k = torch.randn(o.head_size), torch.randn(o.head_size)
    print(q.var(), k.var())
    print(q @ k, (q @ k) * o.head_size ** -0.5)

    loss = (out ** 2).mean()
    print(loss)
    loss.backward()
    for layer in head.key, head.query, head.value:
        print(layer.weight.grad)


if __name__ == "__main__":
    main()
