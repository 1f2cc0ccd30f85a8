#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn heads.same --outputs`: takes the lesson's flags, prints what PyTorch computes."""
import argparse

import torch

INPUTS = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
          [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]


def inputs_of(path):
    if not path:
        return torch.tensor(INPUTS)
    import numpy
    return torch.from_numpy(numpy.load(path)).float()


def layers(width, out):
    return torch.nn.ModuleList(torch.nn.Linear(width, out, bias=False) for _ in range(3))  # query, key, value


def attend(query, key, value):
    scores = query @ key.mT
    scores.masked_fill_(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)
    return torch.softmax(scores / query.shape[-1]**0.5, dim=-1) @ value


class Wrapper(torch.nn.Module):
    def __init__(self, width, out, heads):
        super().__init__()
        self.heads = torch.nn.ModuleList(layers(width, out) for _ in range(heads))

    def forward(self, x):
        return torch.cat([attend(*(layer(x) for layer in head)) for head in self.heads], dim=-1)


class Split(torch.nn.Module):
    def __init__(self, width, out, heads):
        super().__init__()
        self.layers, self.out_proj, self.count = layers(width, out), torch.nn.Linear(out, out), heads

    def forward(self, x):
        parts = (layer(x).unflatten(-1, (self.count, -1)).transpose(1, 2) for layer in self.layers)
        return self.out_proj(attend(*parts).transpose(1, 2).flatten(2))


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--heads", type=int, default=2)
    flags.add_argument("--d-out", type=int, default=2)
    flags.add_argument("--inputs", type=str, default=None)
    o = flags.parse_args(given)
    x = inputs_of(o.inputs)[None]
    torch.manual_seed(o.seed)
    wrapper = Wrapper(x.shape[2], o.d_out, o.heads)
    split = Split(x.shape[2], o.d_out * o.heads, o.heads)
    print(wrapper(x)[0])
    print(split(x)[0])

    with torch.no_grad():
        for i, layer in enumerate(split.layers):
            layer.weight.copy_(torch.cat([head[i].weight for head in wrapper.heads]))
        split.out_proj.weight.copy_(torch.eye(o.d_out * o.heads))
        split.out_proj.bias.zero_()
    print(torch.allclose(wrapper(x), split(x), atol=1e-6))
    print(split(x)[0])
    (split(x) ** 2).sum().backward()
    print(split.layers[0].weight.grad)


if __name__ == "__main__":
    main()
