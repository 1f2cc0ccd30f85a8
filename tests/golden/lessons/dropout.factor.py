#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn dropout.factor --outputs`: takes the lesson's flags, prints what PyTorch computes."""
import argparse

import torch


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--dropout", type=float, default=0.5)
    flags.add_argument("--size", type=int, default=6)
    o = flags.parse_args(given)
    dropout = torch.nn.Dropout(o.dropout)
    ones = torch.ones(o.size, o.size)
    torch.manual_seed(o.seed)
    print(dropout(ones))
    scores = torch.randn(o.size, o.size).masked_fill(ones.triu(1).bool(), -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    dropped = dropout(weights)
    print(dropped)
    print(dropped.sum(dim=-1))

    torch.manual_seed(o.seed)
    x = ones.clone().requires_grad_()
    dropout(x).sum().backward()
    print(x.grad)
    print(dropout(weights))
    dropout.eval()
    print(dropout(weights))


if __name__ == "__main__":
    main()
