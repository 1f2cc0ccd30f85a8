#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn autograd.order --outputs`: takes the lesson's flags, prints what PyTorch computes."""
import argparse

import torch


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--a", type=float, default=2.0)
    flags.add_argument("--b", type=float, default=3.0)
    o = flags.parse_args(given)
    a = torch.tensor(o.a, requires_grad=True)
    b = torch.tensor(o.b, requires_grad=True)
    c, d = a + b, a * b
    y = (c + d) + c * d
    print(y)
    y.backward()
    print(a.grad, b.grad)


if __name__ == "__main__":
    main()
