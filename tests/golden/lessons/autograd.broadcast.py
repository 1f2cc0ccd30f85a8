#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn autograd.broadcast --outputs`: takes the lesson's flags, prints what PyTorch computes."""
import argparse

import torch


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--rows", type=int, default=4)
    flags.add_argument("--columns", type=int, default=3)
    o = flags.parse_args(given)
    rows, columns = o.rows, o.columns
    torch.manual_seed(o.seed)
    x = torch.randn(rows, columns, requires_grad=True)
    bias = torch.randn(columns, requires_grad=True)
    g = torch.randn(rows, columns)
    y = x + bias
    print(y)
    print(bias.expand(x.shape).stride())
    y.backward(g)
    print(bias.grad)
    print(x.grad)

    x, g = torch.randn(rows, columns), torch.randn(rows, columns)
    offset = torch.randn(rows, 1, requires_grad=True)
    (x + offset).backward(g)
    print(offset.grad)

    x, g = torch.randn(rows, columns), torch.randn(rows, columns)
    scale = torch.randn(columns, requires_grad=True)
    (x * scale).backward(g)
    print(scale.grad)

    linear = torch.nn.Linear(columns, columns)
    batch, g = torch.randn(2, rows, columns), torch.randn(2, rows, columns)
    linear(batch).backward(g)
    print(linear.bias.grad)


if __name__ == "__main__":
    main()
