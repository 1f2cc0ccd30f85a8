#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn mask.window --outputs`: takes the lesson's flags, prints what PyTorch computes.

The mask is made by hand, row by row; PyTorch's own attention with that mask must agree."""
import argparse

import torch

INPUTS = [[0.5, 0.9, -0.4], [1.1, -0.6, 0.3], [-0.2, 0.4, 0.8], [0.1, -0.3, 0.2], [-0.9, 0.7, 0.6], [0.3, 0.2, -1.0],
          [0.8, -0.5, -0.7]]


def inputs_of(path):
    if not path:
        return torch.tensor(INPUTS)
    import numpy
    return torch.from_numpy(numpy.load(path)).float()


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--window", type=int, default=3)
    for unseen, default in ("--layers", 3), ("--sinks", 1):  # of steps that print nothing
        flags.add_argument(unseen, type=int, default=default)
    flags.add_argument("--inputs", type=str, default=None)
    o = flags.parse_args(given)
    x = inputs_of(o.inputs)
    n, width = x.shape
    print(torch.tensor([[i - j for j in range(n)] for i in range(n)]))
    torch.manual_seed(o.seed)
    query, key, value = (torch.nn.Linear(width, width, bias=False)(x) for _ in range(3))
    visible = torch.tensor([[j <= i < j + o.window for j in range(n)] for i in range(n)])
    context = torch.softmax((query @ key.T / width**0.5).masked_fill(~visible, -torch.inf), dim=-1) @ value
    own = torch.nn.functional.scaled_dot_product_attention(query[None], key[None], value[None], attn_mask=visible)[0]
    torch.testing.assert_close(own, context)
    print(context)


if __name__ == "__main__":
    main()
