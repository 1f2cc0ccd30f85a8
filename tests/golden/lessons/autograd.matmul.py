#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn autograd.matmul --outputs`: takes the lesson's flags, prints what PyTorch computes."""
import argparse

import torch


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--rows", type=int, default=2)
    flags.add_argument("--inner", type=int, default=3)
    flags.add_argument("--columns", type=int, default=4)
    o = flags.parse_args(given)
    torch.manual_seed(o.seed)
    A = torch.randn(o.rows, o.inner, requires_grad=True)
    B = torch.randn(o.inner, o.columns, requires_grad=True)
    g = torch.randn(o.rows, o.columns)
    C = A @ B
    print(C)
    C.backward(g)
    print(A.grad)
    print(B.grad)

    layer = torch.nn.Linear(o.inner, o.columns, bias=False)
    x, g = torch.randn(2, o.rows, o.inner), torch.randn(2, o.rows, o.columns)
    layer(x).backward(g)
    print(layer.weight.grad)


if __name__ == "__main__":
    main()
