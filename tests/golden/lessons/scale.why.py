#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn scale.why --outputs`: takes the lesson's flags, prints what PyTorch computes."""
import argparse

import torch


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--width", type=int, default=64)
    flags.add_argument("--keys", type=int, default=5)
    o = flags.parse_args(given)
    torch.manual_seed(o.seed)
    query, keys = torch.randn(o.width), torch.randn(o.keys, o.width)
    scores = keys @ query
    print(scores)
    print((query * keys[0]).sum())
    print(torch.softmax(scores, dim=-1))
    print(torch.softmax(scores / o.width**0.5, dim=-1))


if __name__ == "__main__":
    main()
