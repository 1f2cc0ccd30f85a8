#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn softmax.online --outputs`: takes the lesson's flags, prints what PyTorch computes.

Plain attention and PyTorch's own must agree with what the tiles give, and so must the gradients."""
import argparse

import torch


def in_tiles(query, key, value, tile):
    """The sums that the tiles of each query leave behind, divided."""
    rows = []
    for q, place in zip(query.split(tile), torch.arange(len(query)).split(tile)):
        most, total, mixed = torch.full((len(q), 1), -torch.inf), torch.zeros(len(q), 1), torch.zeros(len(q), q.shape[1])
        for k, v, of in zip(key.split(tile), value.split(tile), torch.arange(len(key)).split(tile)):
            if of[0] > place[-1]:
                break
            scores = (q @ k.T / q.shape[1]**0.5).masked_fill(of > place[:, None], -torch.inf)
            before, most = most, torch.maximum(most, scores.amax(dim=1, keepdim=True))
            total = total * torch.exp(before - most) + torch.exp(scores - most).sum(dim=1, keepdim=True)
            mixed = mixed * torch.exp(before - most) + torch.exp(scores - most) @ v
        rows.append(mixed / total)
    return torch.cat(rows)


def plain(query, key, value):
    future = torch.ones(len(query), len(query)).triu(1).bool()
    return torch.softmax((query @ key.T / query.shape[1]**0.5).masked_fill(future, -torch.inf), dim=-1) @ value


def fused(*qkv):
    return torch.nn.functional.scaled_dot_product_attention(*(x[None] for x in qkv), is_causal=True)[0]


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seed", type=int, default=39)
    flags.add_argument("--width", type=int, default=3)
    flags.add_argument("--tile", type=int, default=2)
    o = flags.parse_args(given)
    torch.manual_seed(o.seed)
    qkv = [torch.randn(6, o.width) for _ in range(3)]
    print(qkv[0] @ qkv[1].T / o.width**0.5)
    context = in_tiles(*qkv, o.tile)
    asked, grads = torch.linspace(-1, 1, context.numel()).view_as(context), []
    for attention in plain, fused, lambda *qkv: in_tiles(*qkv, o.tile):
        leaves = [x.clone().requires_grad_() for x in qkv]
        own = attention(*leaves)
        torch.testing.assert_close(own, context)
        grads.append(torch.autograd.grad(own, leaves, asked))
        torch.testing.assert_close(grads[-1], grads[0], rtol=1e-4, atol=1e-5)
    print(context)


if __name__ == "__main__":
    main()
