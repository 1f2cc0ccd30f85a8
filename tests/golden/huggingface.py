"""A small GPT-2 in Hugging Face's names and layout, and what it answers: writes huggingface.txt.

  python3 huggingface.py

The weights are drawn with Python alone, so that the tests can make the same file. The model is computed with
PyTorch's functions as GPT2LMHeadModel does, whose matrices are (in, out). Its tokens are those of text/vocab.json.
"""

import json
import pathlib
import random
import struct

HERE = pathlib.Path(__file__).resolve().parent
IDS = json.loads((HERE / "text" / "vocab.json").read_text())
CONTEXT, WIDTH, LAYERS, HEADS = 24, 12, 2, 3
PROMPT, ADDED = "Q~K", 20  # each character a token


def shapes():
    w = WIDTH
    yield "wte.weight", (len(IDS), w)
    yield "wpe.weight", (CONTEXT, w)
    for i in range(LAYERS):
        for name, shape in (("ln_1.weight", (w,)), ("ln_1.bias", (w,)), ("attn.c_attn.weight", (w, 3 * w)),
                            ("attn.c_attn.bias", (3 * w,)), ("attn.c_proj.weight", (w, w)), ("attn.c_proj.bias", (w,)),
                            ("ln_2.weight", (w,)), ("ln_2.bias", (w,)), ("mlp.c_fc.weight", (w, 4 * w)),
                            ("mlp.c_fc.bias", (4 * w,)), ("mlp.c_proj.weight", (4 * w, w)), ("mlp.c_proj.bias", (w,))):
            yield f"h.{i}.{name}", shape
    yield "ln_f.weight", (w,)
    yield "ln_f.bias", (w,)


def weights():
    """name: (shape, bytes of float32), of numbers in [-1, 1)."""
    draw = random.Random(85).random  # a seed with which it says many different tokens
    numbers = {}
    for name, shape in shapes():
        n = shape[0] * (shape[1] if len(shape) == 2 else 1)
        numbers[name] = shape, struct.pack(f"<{n}f", *(2 * draw() - 1 for _ in range(n)))
    return numbers


def main():
    import torch
    import torch.nn.functional as F

    p = {name: torch.frombuffer(bytearray(data), dtype=torch.float32).view(shape)
         for name, (shape, data) in weights().items()}

    def norm(x, name):
        return F.layer_norm(x, (WIDTH,), p[name + ".weight"], p[name + ".bias"])

    def conv1d(x, name):
        return x @ p[name + ".weight"] + p[name + ".bias"]

    def logits(tokens):
        t = len(tokens)
        x = p["wte.weight"][tokens] + p["wpe.weight"][:t]
        for i in range(LAYERS):
            q, k, v = (part.view(t, HEADS, -1).transpose(0, 1)
                       for part in conv1d(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").chunk(3, -1))
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + conv1d(attended.transpose(0, 1).reshape(t, WIDTH), f"h.{i}.attn.c_proj")
            hidden = F.gelu(conv1d(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc"), approximate="tanh")
            x = x + conv1d(hidden, f"h.{i}.mlp.c_proj")
        return norm(x, "ln_f")[-1] @ p["wte.weight"].T

    tokens = [IDS[c] for c in PROMPT]
    for _ in range(ADDED):
        best = logits(tokens).topk(2)
        assert best.values[0] - best.values[1] > 1e-3, "rounding could decide: take another seed"
        tokens.append(int(best.indices[0]))
    (HERE / "huggingface.txt").write_text(" ".join(map(str, tokens)) + "\n")


if __name__ == "__main__":
    main()
