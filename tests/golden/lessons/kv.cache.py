#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn kv.cache --outputs`: takes the lesson's flags, prints what PyTorch computes.

Writes without a cache only; PyTorch's own attention with a lower-right mask must agree with each word from the whole text."""
import argparse

import torch

VOCABULARY = ["a", "and", "bird", "cat", "dog", "ran", "sat", "saw", "the"]


def rows_of(layer, x):
    return [x @ weight.weight.T for weight in layer]


def attend(layer, x):
    query, key, value = rows_of(layer, x)
    future = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
    weights = torch.softmax((query @ key.mT / x.shape[2]**0.5).masked_fill(future, -torch.inf), dim=-1)
    return weights @ value


def last_row_alone(layer, x):
    query, key, value = rows_of(layer, x)
    seen = torch.ones(1, x.shape[1]).bool()  # the lower right corner of the mask
    return torch.nn.functional.scaled_dot_product_attention(query[:, -1:], key, value, attn_mask=seen)


def main(given=None):
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seed", type=int, default=123)
    flags.add_argument("--width", type=int, default=4)
    flags.add_argument("--layers", type=int, default=2)
    flags.add_argument("--written", type=int, default=6)
    o = flags.parse_args(given)
    torch.manual_seed(o.seed)
    words, places = torch.nn.Embedding(len(VOCABULARY), o.width), torch.nn.Embedding(32, o.width)
    layers = [[torch.nn.Linear(o.width, o.width, bias=False) for _ in range(3)] for _ in range(o.layers)]
    out = torch.nn.Linear(o.width, len(VOCABULARY), bias=False)

    def logits(ids):
        x = words(ids) + places(torch.arange(ids.shape[1]))
        for layer in layers:
            attended = attend(layer, x)
            torch.testing.assert_close(last_row_alone(layer, x), attended[:, -1:])
            x = x + attended
        return out(x)[0, -1]

    ids = torch.tensor([[VOCABULARY.index(word) for word in "the cat saw a bird".split()]])
    print(ids)
    with torch.no_grad():
        row = logits(ids)
        for _ in range(o.written):
            ids = torch.cat([ids, logits(ids).argmax().view(1, 1)], dim=1)
    text = " ".join(VOCABULARY[k] for k in ids[0].tolist())
    print(text, row, row, text, True, 2 * o.layers * (ids.shape[1] - 1) * o.width, sep="\n")


if __name__ == "__main__":
    main()
