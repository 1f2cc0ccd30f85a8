#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn autograd.softmax --outputs`: takes the lesson's flags, prints what PyTorch computes."""
import argparse

import torch


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--size", type=int, default=4)
    o = flags.parse_args(given)
    torch.manual_seed(o.seed)
    scores = torch.randn(o.size)
    weights = torch.softmax(scores, dim=-1)
    print(weights)
    print(torch.diag(weights) - torch.outer(weights, weights))

    def grad_of(x):
        x.requires_grad_()
        torch.softmax(x, dim=-1).backward(torch.randn(o.size))
        return x.grad

    print(grad_of(scores.clone()))
    if o.size > 1:
        masked = scores.clone()
        masked[-1] = -torch.inf
        print(grad_of(masked))
    logits = scores.clone().requires_grad_()
    torch.nn.functional.cross_entropy(logits[None], torch.tensor([o.size - 1])).backward()
    print(logits.grad)


if __name__ == "__main__":
    main()
