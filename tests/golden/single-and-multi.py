#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn single-and-multi --outputs`: takes the lesson's flags, prints what PyTorch computes.

    python3 single-and-multi.py > single-and-multi.txt                    # the golden, with PyTorch 2.6 on AVX2
    python3 single-and-multi.py --seed 7 --heads 4 --width 8 --vocab 50   # any other setting, to compare with the lesson
"""
import argparse

import torch
from torch import nn
from torch.nn.functional import cross_entropy

MAX_LEN, STEPS = 5000, 5


def arguments(given=None):
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--inputs", help=".npy file, (tokens, features) or (batch, tokens, features)")
    flags.add_argument("--width", type=int, default=16)
    flags.add_argument("--heads", type=int, default=8)
    flags.add_argument("--hidden", type=int, default=32)
    flags.add_argument("--vocab", type=int, default=20)
    return flags.parse_args(given)


def sentences(o):
    if not o.inputs:
        return torch.randn(2, 5, o.width)
    import numpy
    x = torch.from_numpy(numpy.load(o.inputs)).float()
    return x if x.dim() == 3 else torch.stack((x, x))


def attend(queries, keys, values):
    """Causal attention: scaled by a product with the reciprocal, then masked, both out of place."""
    scores = queries @ keys.transpose(-2, -1) * (1 / queries.shape[-1] ** 0.5)
    later = torch.ones(scores.shape[-2:]).triu(1) == 1
    return scores.masked_fill(later, -torch.inf).softmax(-1) @ values


class SingleHeadAttention(nn.Module):
    layers = "query", "key", "value"  # in the order in which they draw numbers

    def __init__(self, width):
        super().__init__()
        for name in self.layers:
            setattr(self, name, nn.Linear(width, width))

    def projections(self, x):
        return [layer(x) for layer in (self.query, self.key, self.value)]

    def forward(self, x):
        return attend(*self.projections(x))


class MultiHeadAttention(SingleHeadAttention):
    layers = *SingleHeadAttention.layers, "fc_out"

    def __init__(self, width, heads):
        super().__init__(width)
        self.heads = heads

    def forward(self, x):
        cut = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in self.projections(x))
        return self.fc_out(attend(*cut).transpose(1, 2).contiguous().view(x.shape))


class GPTEmbedding(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.token = nn.Embedding(vocab, width)
        self.position = nn.Embedding(MAX_LEN, width)

    def forward(self, ids):
        return self.token(ids) + self.position(torch.arange(ids.shape[1]))


class FeedForwardNN(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.fc1, self.relu, self.fc2 = nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width)

    def forward(self, x):
        return self.fc2(self.relu(self.fc1(x)))


class MyGPT(nn.Module):
    def __init__(self, width, o, several):
        super().__init__()
        self.embedding = GPTEmbedding(o.vocab, width)
        self.attention = MultiHeadAttention(width, o.heads) if several else SingleHeadAttention(width)
        self.ffn = FeedForwardNN(width, o.hidden)
        self.ln_f = nn.LayerNorm(width)  # not used, as in the source
        self.fc_out = nn.Linear(width, o.vocab)

    def forward(self, ids):
        return self.fc_out(self.ffn(self.attention(self.embedding(ids))))


def train(model, inputs, targets):
    def loss_of(logits):
        return cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))

    logits = model(inputs)
    for shown in logits.shape, logits, loss_of(logits):
        print(shown)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(model(inputs))
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.4f}")
    for shown in model.fc_out.bias.grad, model.attention.query.weight.grad[0], model.ln_f.weight.grad:
        print(shown)
    print(model(inputs).argmax(-1))


def main(given=None):
    o = arguments(given)
    torch.manual_seed(o.seed)
    x = sentences(o)
    width = x.shape[-1]
    for module in SingleHeadAttention(width), MultiHeadAttention(width, o.heads):
        print(module)
        out = module(x)
        print(out)
    print(out.shape)

    for several in False, True:
        torch.manual_seed(o.seed)
        model = MyGPT(width, o, several)
        print(model)
        print(sum(p.numel() for p in model.parameters()))
        ids = torch.randint(0, o.vocab, (2, 6))
        inputs, targets = ids[:, :-1], ids[:, 1:].contiguous()
        print(inputs)
        print(targets)
        train(model, inputs, targets)


if __name__ == "__main__":
    main()
