#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn mask.five-ways --outputs`: takes the lesson's flags, prints what PyTorch computes."""
import argparse

import torch

INPUTS = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
          [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]


def inputs_of(path):
    if not path:
        return torch.tensor(INPUTS)
    import numpy
    return torch.from_numpy(numpy.load(path)).float()


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seed", type=int, default=789)
    flags.add_argument("--d-out", type=int, default=2)
    flags.add_argument("--inputs", type=str, default=None)
    o = flags.parse_args(given)
    x = inputs_of(o.inputs)
    torch.manual_seed(o.seed)
    W_query, W_key = (torch.nn.Linear(x.shape[1], o.d_out, bias=False) for _ in range(2))
    with torch.no_grad():
        scores = W_query(x) @ W_key(x).T
    print(scores)
    future = torch.ones_like(scores).triu(1).bool()
    strict = torch.ones_like(scores).triu(0).bool()

    def filled(mask, value):
        return torch.softmax(scores.masked_fill(mask, value) / o.d_out**0.5, dim=-1)

    for value in -torch.inf, -1e9, 0:
        print(filled(future, value))
    after = torch.softmax(scores / o.d_out**0.5, dim=-1) * ~future
    print(after)
    print(after / after.sum(dim=-1, keepdim=True))
    print(filled(strict, -torch.inf))
    print(filled(strict, -1e9))


if __name__ == "__main__":
    main()
