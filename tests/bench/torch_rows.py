"""The rows of `glassgrad bench` in PyTorch: prints JSON, by the row's name the seconds of one call, or bytes.

    python3 tests/bench/torch_rows.py THREADS SECONDS ROW... [--device=cuda,eager|--device=cuda,compiled]

Attention is scaled_dot_product_attention where this PyTorch has it; long attention has no rows where it has not.
"""
import ctypes
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
LESSON = GOLDEN / "journey.py"
sys.path.insert(0, str(GOLDEN))
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


COMPILED = False  # whether models go through torch.compile


def compiled(module):
    return torch.compile(module, dynamic=False) if COMPILED else module


def config_of(layers, heads, width, context, vocabulary):
    return {"layers": layers, "heads": heads, "width": width, "context_length": context, "vocab_size": vocabulary,
            "dropout": 0.0, "bias": True, "tie_weights": True, "tanh_gelu": True}


def product(m, k, n, a_turned=False, b_turned=False, batches=1, dtype=torch.float32):
    def matrix(rows, columns, turned):
        x = torch.randn(batches, *((columns, rows) if turned else (rows, columns))).to(dtype)
        x = x.transpose(1, 2) if turned else x
        return x[0] if batches == 1 else x

    a, b = matrix(m, k, a_turned), matrix(k, n, b_turned)
    return lambda: a @ b


def products_in_turn(m, k, n):
    sets = [[torch.randn(m, k), torch.randn(n, k).t(), None] for _ in range(32)]
    turns = itertools.cycle(sets)

    def work():
        one = next(turns)
        one[2] = one[0] @ one[1]

    return work


def softmax():
    x = torch.randn(1024, 1024)
    return lambda: torch.softmax(x, -1)


def attention(backward):
    block = compiled(gpt.MultiHeadAttention(config_of(12, 12, 768, 1024, 50257)))
    x = torch.randn(2, 1024, 768)

    def work():
        y = block(x)
        if backward:
            block.zero_grad(set_to_none=True)
            y.sum().backward()

    return work


def long_attention(length, dtype=torch.float32):
    q, k, v = (torch.randn(1, 2, length, 64).to(dtype).requires_grad_() for _ in range(3))

    def work():
        q.grad = k.grad = v.grad = None
        F.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()

    return work


def training(batch, *config, steps_before=0):
    config = config_of(*config)
    model = compiled(gpt.GPT(config))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    text = torch.randint(0, config["vocab_size"], (batch, config["context_length"] + 1))
    inputs, targets = text[:, :-1].contiguous(), text[:, 1:].contiguous().flatten()

    def work():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(inputs).flatten(0, 1), targets).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    for _ in range(steps_before):
        work()
    return work


class WithLoss(torch.nn.Module):
    """The loss in one graph with the model, as torch.compile likes it best."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, inputs, targets):
        return F.cross_entropy(self.model(inputs).flatten(0, 1), targets)


def large_training(precision, batch=16, context=1024):
    """GPT-2 124M at its best on a GPU: a vocabulary padded to a multiple of 64, AdamW in one kernel; in bf16, autocast."""
    torch.set_float32_matmul_precision("highest" if precision == "fp32" else "high")
    model = compiled(WithLoss(gpt.GPT(config_of(12, 12, 768, context, 50304))))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3, fused=True)
    text = torch.randint(0, 50257, (batch, context + 1))
    inputs, targets = text[:, :-1].contiguous(), text[:, 1:].contiguous().flatten()

    def work():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
            loss = model(inputs, targets)
        loss.backward()
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


def lesson():
    return lambda: subprocess.run([sys.executable, LESSON], stdout=subprocess.DEVNULL, check=True)


ROWS = {f"mm.{n}": lambda n=n: product(n, n, n) for n in (64, 256, 512, 1024, 2048)} | {
    "mm.512.nt": lambda: product(512, 512, 512, b_turned=True),
    "mm.512.tn": lambda: product(512, 512, 512, a_turned=True),
    "linear.768": lambda: product(1024, 768, 768, b_turned=True),
    "linear.2304": lambda: product(2048, 768, 2304, b_turned=True),
    "linear.2304.dx": lambda: product(2048, 2304, 768),
    "linear.2304.dw": lambda: product(2304, 2048, 768, a_turned=True),
    "linear.50257": lambda: product(256, 768, 50257, b_turned=True),
    "linear.small": lambda: product(768, 128, 384, b_turned=True),
    "linear.in-turn": lambda: products_in_turn(768, 128, 128),
    "qk": lambda: product(1024, 64, 1024, b_turned=True, batches=24),
    "pv": lambda: product(1024, 1024, 64, batches=24),
    "qk.small": lambda: product(64, 32, 64, b_turned=True, batches=48),
    "softmax": softmax,
    "attention": lambda: attention(False),
    "attention.backward": lambda: attention(True),
    "train.128": lambda: training(12, 4, 4, 128, 64, 65),
    "train.384": lambda: training(8, 6, 6, 384, 256, 65),
    "train.124m": lambda: training(4, 12, 12, 768, 64, 50257),
    "train.64": lambda: training(16, 2, 4, 64, 32, 65),
    "train.64.later": lambda: training(16, 2, 4, 64, 32, 65, steps_before=1000),
    "mm.2048.bf16": lambda: product(2048, 2048, 2048, dtype=torch.bfloat16),
    "linear.2304.bf16": lambda: product(2048, 768, 2304, b_turned=True, dtype=torch.bfloat16),
    "linear.2304.dx.bf16": lambda: product(2048, 2304, 768, dtype=torch.bfloat16),
    "linear.2304.dw.bf16": lambda: product(2304, 2048, 768, a_turned=True, dtype=torch.bfloat16),
    "train.124m.1k.bf16": lambda: large_training("bf16"),
    "train.124m.1k.tf32": lambda: large_training("tf32"),
    "train.124m.1k.fp32": lambda: large_training("fp32"),
    "chain": chain,
    "journey": lesson,
}
MEMORY = {"attention.memory": ROWS["attention.backward"]}
if hasattr(F, "scaled_dot_product_attention"):
    for thousands in 1, 2, 4, 8, 16:
        ROWS[f"sdpa.{thousands}k"] = lambda n=thousands: long_attention(1024 * n)
        ROWS[f"sdpa.{thousands}k.bf16"] = lambda n=thousands: long_attention(1024 * n, torch.bfloat16)
        MEMORY[f"sdpa.{thousands}k.memory"] = ROWS[f"sdpa.{thousands}k"]


def wait_for_gpu():
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def median_seconds(work, for_seconds):
    work()
    wait_for_gpu()
    times, began = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - began < for_seconds:
        start = time.perf_counter()
        work()
        wait_for_gpu()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def status(name):
    return 1024 * int(re.search(rf"^{name}:\s+(\d+) kB$", pathlib.Path("/proc/self/status").read_text(), re.M)[1])


def peak_bytes(make):
    """The most memory during a call, over what there was before: resident pages, as `glassgrad bench` counts them."""
    make()()
    work = make()
    ctypes.CDLL(None).malloc_trim(0)
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    work()
    return status("VmHWM") - before


def lesson_bytes():
    # Measure in a small process: a child's peak includes its parent's memory.
    measure = "import resource, sys, subprocess; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n" \
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    run = subprocess.run([sys.executable, "-c", measure, sys.executable, LESSON], stdout=subprocess.PIPE, check=True)
    return 1024 * int(run.stdout)


def main():
    global COMPILED
    threads, for_seconds, *names = sys.argv[1:]
    torch.set_num_threads(int(threads))
    if names and names[-1].startswith("--device="):
        device, how = names.pop().removeprefix("--device=").split(",")
        torch.set_default_device(device)
        COMPILED = how == "compiled"
    measured = {}
    for name in names:
        torch.manual_seed(1)
        torch.set_float32_matmul_precision("highest")
        if COMPILED:
            torch._dynamo.reset()  # compile each row for its own shapes
        try:
            if name in ROWS:
                measured[name] = median_seconds(ROWS[name](), float(for_seconds))
            elif name in MEMORY:
                measured[name] = peak_bytes(MEMORY[name])
            elif name == "journey.memory":
                measured[name] = lesson_bytes()
        except Exception as error:  # out of memory, or it cannot be compiled: keep the other rows
            print(f"{name}: {error}", file=sys.stderr)
    print(json.dumps({"version": torch.__version__, "measured": measured}))


if __name__ == "__main__":
    main()
