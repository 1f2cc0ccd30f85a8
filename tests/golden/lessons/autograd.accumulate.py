#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn autograd.accumulate --outputs`: takes the lesson's flags, prints what PyTorch computes."""
import argparse

import torch


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--a", type=float, default=2.0)
    flags.add_argument("--b", type=float, default=3.0)
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--rows", type=int, default=6)
    o = flags.parse_args(given)
    a = torch.tensor(o.a, requires_grad=True)
    b = torch.tensor(o.b, requires_grad=True)
    c, d = a + b, a * b
    y = (c + d) + c * d
    print(a.grad)
    for _ in range(2):
        y.backward(retain_graph=True)
        print(a.grad)
    print(a.is_leaf, c.is_leaf)
    print(c.grad)
    c.retain_grad()
    y.backward(retain_graph=True)
    print(c.grad)
    a.grad = b.grad = None
    y.backward()
    print(a.grad)

    torch.manual_seed(o.seed)
    x, target = torch.randn(o.rows, 3), torch.randn(o.rows)
    w = torch.zeros(3, requires_grad=True)
    half = (o.rows + 1) // 2

    def backward(part):
        (((x[part] @ w - target[part]) ** 2).sum() / o.rows).backward()

    backward(slice(0, o.rows))
    print(w.grad)
    w.grad = None
    backward(slice(0, half))
    backward(slice(half, o.rows))
    print(w.grad)


if __name__ == "__main__":
    main()
