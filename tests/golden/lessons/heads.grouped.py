#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn heads.grouped --outputs`: takes the lesson's flags, prints what PyTorch computes.

PyTorch's own attention with enable_gqa=True, which repeats nothing, must agree."""
import argparse

import torch

INPUTS = [[0.6, -0.4, 0.9], [1.0, 0.8, -0.3], [-0.7, 1.1, 0.5], [0.2, -1.0, 0.4], [0.9, 0.3, -1.2]]


def inputs_of(path):
    if not path:
        return torch.tensor(INPUTS)
    import numpy
    return torch.from_numpy(numpy.load(path)).float()


def layers(d_in, width, heads, kv_heads):
    shapes = [(d_in, heads * width), (d_in, kv_heads * width), (d_in, kv_heads * width), (heads * width, d_in)]
    return [torch.nn.Linear(*shape, bias=False) for shape in shapes]


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--heads", type=int, default=4)
    flags.add_argument("--kv-heads", type=int, default=2)
    flags.add_argument("--head-dim", type=int, default=2)
    flags.add_argument("--inputs", type=str, default=None)
    o = flags.parse_args(given)
    x = inputs_of(o.inputs)[None]
    torch.manual_seed(o.seed)
    *of_qkv, out = layers(x.shape[2], o.head_dim, o.heads, o.kv_heads)
    query, key, value = (layer(x).unflatten(2, (-1, o.head_dim)).transpose(1, 2) for layer in of_qkv)
    own = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
    key, value = (y.repeat_interleave(o.heads // o.kv_heads, dim=1) for y in (key, value))
    scores = (query @ key.mT / o.head_dim**0.5).masked_fill(torch.ones(x.shape[1], x.shape[1]).triu(1).bool(), -torch.inf)
    found = torch.softmax(scores, dim=-1) @ value
    torch.testing.assert_close(own, found)
    print(out(found.transpose(1, 2).flatten(2)), True, sep="\n")
    choices = [n for n in range(1, o.heads + 1) if o.heads % n == 0]
    print(torch.tensor([[n, sum(layer.weight.numel() for layer in layers(x.shape[2], o.head_dim, o.heads, n)),
                         2 * n * o.head_dim] for n in choices]))


if __name__ == "__main__":
    main()
