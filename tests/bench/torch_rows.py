"""The rows of `glassgrad bench` in PyTorch: prints JSON, the seconds of one call by the row's name.

    python3 tests/bench/torch_rows.py THREADS SECONDS ROW...

Attention is scaled_dot_product_attention where this PyTorch has it.
"""
import json
import pathlib
import statistics
import sys
import time

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import gpt  # noqa: E402


class Attention(gpt.MultiHeadAttention):
    def forward(self, x):
        b, n, w = x.shape
        k, q, v = (layer(x).view(b, n, self.heads, w // self.heads).transpose(1, 2)
                   for layer in (self.W_key, self.W_query, self.W_value))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out_proj(y.transpose(1, 2).contiguous().view(b, n, w))


if hasattr(F, "scaled_dot_product_attention"):
    gpt.MultiHeadAttention = Attention


def config_of(layers, heads, width, context, vocabulary):
    return {"layers": layers, "heads": heads, "width": width, "context_length": context, "vocab_size": vocabulary,
            "dropout": 0.0, "bias": True, "tie_weights": True, "tanh_gelu": True}


def product(m, k, n, a_turned=False, b_turned=False, batches=1):
    def matrix(rows, columns, turned):
        x = torch.randn(batches, columns, rows).transpose(1, 2) if turned else torch.randn(batches, rows, columns)
        return x[0] if batches == 1 else x

    a, b = matrix(m, k, a_turned), matrix(k, n, b_turned)
    return lambda: a @ b


def attention(backward):
    block = gpt.MultiHeadAttention(config_of(12, 12, 768, 1024, 50257))
    x = torch.randn(2, 1024, 768)

    def work():
        y = block(x)
        if backward:
            block.zero_grad(set_to_none=True)
            y.sum().backward()

    return work


def training(batch, *config):
    config = config_of(*config)
    model = gpt.GPT(config)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    text = torch.randint(0, config["vocab_size"], (batch, config["context_length"] + 1))
    inputs, targets = text[:, :-1].contiguous(), text[:, 1:].contiguous().flatten()

    def work():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(inputs).flatten(0, 1), targets).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return work


def chain():
    x, w = ((torch.randn(6, 6) * 0.1).requires_grad_() for _ in range(2))

    def work():
        y = x
        for _ in range(334):
            y = (y @ w + w) * w
        y.sum().backward()
        x.grad = w.grad = None

    return work


ROWS = {f"mm.{n}": lambda n=n: product(n, n, n) for n in (64, 256, 512, 1024, 2048)} | {
    "mm.512.nt": lambda: product(512, 512, 512, b_turned=True),
    "mm.512.tn": lambda: product(512, 512, 512, a_turned=True),
    "linear.768": lambda: product(1024, 768, 768, b_turned=True),
    "linear.2304": lambda: product(2048, 768, 2304, b_turned=True),
    "linear.2304.dx": lambda: product(2048, 2304, 768),
    "linear.2304.dw": lambda: product(2304, 2048, 768, a_turned=True),
    "linear.50257": lambda: product(256, 768, 50257, b_turned=True),
    "linear.small": lambda: product(768, 128, 384, b_turned=True),
    "qk": lambda: product(1024, 64, 1024, b_turned=True, batches=24),
    "pv": lambda: product(1024, 1024, 64, batches=24),
    "qk.small": lambda: product(64, 32, 64, b_turned=True, batches=48),
    "attention": lambda: attention(False),
    "attention.backward": lambda: attention(True),
    "train.128": lambda: training(12, 4, 4, 128, 64, 65),
    "train.384": lambda: training(8, 6, 6, 384, 256, 65),
    "train.124m": lambda: training(4, 12, 12, 768, 64, 50257),
    "chain": chain,
}


def median_seconds(work, for_seconds):
    work()
    times, began = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - began < for_seconds:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main():
    threads, for_seconds, *names = sys.argv[1:]
    torch.set_num_threads(int(threads))
    seconds = {}
    for name in names:
        if name in ROWS:
            torch.manual_seed(1)
            seconds[name] = median_seconds(ROWS[name](), float(for_seconds))
    print(json.dumps({"version": torch.__version__, "seconds": seconds}))


if __name__ == "__main__":
    main()
