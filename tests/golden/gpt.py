"""A GPT in PyTorch that draws, computes and is called like nn/gpt.h, for the cases of gpt.json."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


# Defaults for parts that a case does not name: GPT-2's.
GPT2 = {"norm": "layer", "positions": "learned", "mlp": "gelu", "kv_heads": 0, "window": 0}


def angles(n, d):
    return torch.arange(n, dtype=torch.float64)[:, None] * 10000 ** (torch.arange(0, d, 2, dtype=torch.float64) / -d)


def sinusoids(n, d):
    angle = angles(n, d)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).to(torch.float32)


def rotated(x):
    angle = angles(*x.shape[-2:]).repeat(1, 2)
    a, b = x.chunk(2, dim=-1)
    return x * angle.cos().to(torch.float32) + torch.cat([-b, a], dim=-1) * angle.sin().to(torch.float32)


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.rms_norm(x, self.weight.shape, self.weight, 1e-5)


def norm(c):
    return RMSNorm(c["width"]) if c["norm"] == "rms" else nn.LayerNorm(c["width"])


class MultiHeadAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        w, self.heads = c["width"], c["heads"]
        self.kv_heads, self.head_dim = c["kv_heads"] or self.heads, w // self.heads
        sizes = (self.heads, self.kv_heads, self.kv_heads)
        self.W_query, self.W_key, self.W_value = (nn.Linear(w, n * self.head_dim, bias=c["bias"]) for n in sizes)
        self.out_proj = nn.Linear(w, w)
        self.dropout = nn.Dropout(c["dropout"])
        all_pairs = torch.ones(c["context_length"], c["context_length"])
        mask = torch.triu(all_pairs, diagonal=1)
        if c["window"]:
            mask = mask + torch.tril(all_pairs, diagonal=-c["window"])
        self.register_buffer("mask", mask)
        self.turns = c["positions"] == "rope"

    def forward(self, x):
        b, n, w = x.shape
        k, q, v = (layer(x).view(b, n, -1, self.head_dim).transpose(1, 2)
                   for layer in (self.W_key, self.W_query, self.W_value))
        if self.turns:
            k, q = rotated(k), rotated(q)
        if self.kv_heads < self.heads:
            k, v = (each.repeat_interleave(self.heads // self.kv_heads, dim=1) for each in (k, v))
        scores = q @ k.transpose(2, 3)
        scores.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
        weights = self.dropout(torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1))
        return self.out_proj((weights @ v).transpose(1, 2).contiguous().view(b, n, w))


class Gated(nn.Module):
    def __init__(self, c):
        super().__init__()
        w = c["width"]
        hidden = (8 * w // 3 + 7) // 8 * 8
        self.gate, self.up = (nn.Linear(w, hidden, bias=False) for _ in range(2))
        self.down = nn.Linear(hidden, w, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class FeedForward(nn.Module):
    def __init__(self, c):
        super().__init__()
        w = c["width"]
        self.layers = nn.Sequential(nn.Linear(w, 4 * w), nn.GELU("tanh" if c["tanh_gelu"] else "none"),
                                    nn.Linear(4 * w, w))

    def forward(self, x):
        return self.layers(x)


class TransformerBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.att = MultiHeadAttention(c)
        self.ff = Gated(c) if c["mlp"] == "swiglu" else FeedForward(c)
        self.norm1, self.norm2 = norm(c), norm(c)
        self.drop_shortcut = nn.Dropout(c["dropout"])

    def forward(self, x):
        x = x + self.drop_shortcut(self.att(self.norm1(x)))
        return x + self.drop_shortcut(self.ff(self.norm2(x)))


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.tok_emb = nn.Embedding(c["vocab_size"], c["width"])
        self.positions = c["positions"]
        if self.positions == "learned":
            self.pos_emb = nn.Embedding(c["context_length"], c["width"])
        self.drop_emb = nn.Dropout(c["dropout"])
        self.trf_blocks = nn.ModuleList(TransformerBlock(c) for _ in range(c["layers"]))
        self.final_norm = norm(c)
        self.out_head = nn.Linear(c["width"], c["vocab_size"], bias=False)
        if c["tie_weights"]:
            self.out_head.weight = self.tok_emb.weight
        for name, p in self.named_parameters():
            residual = name.endswith(("out_proj.weight", "layers.2.weight", "down.weight"))
            if name.endswith("bias"):
                nn.init.zeros_(p)
            elif p.dim() == 2:
                nn.init.normal_(p, 0, 0.02 / math.sqrt(2 * c["layers"]) if residual else 0.02)

    def forward(self, tokens):
        x, n = self.tok_emb(tokens), tokens.shape[1]
        if self.positions == "learned":
            x = x + self.pos_emb(torch.arange(n, device=tokens.device))
        elif self.positions == "sinusoid":
            x = x * math.sqrt(x.shape[-1]) + sinusoids(n, x.shape[-1])
        x = self.drop_emb(x)
        for block in self.trf_blocks:
            x = block(x)
        return self.out_head(self.final_norm(x))


def lr_at(step, lr, min_lr, warmup, end):
    """The learning rate of nanoGPT."""
    if step < warmup:
        return lr * (step + 1) / (warmup + 1)
    if step > end:
        return min_lr
    return min_lr + 0.5 * (1.0 + math.cos(math.pi * (step - warmup) / (end - warmup))) * (lr - min_lr)


def train(steps, **config):
    config = GPT2 | config
    model = GPT(config)
    print(sum(p.numel() for p in model.parameters()))
    data = (torch.arange(400) % 13) ** 2 % config["vocab_size"]
    decayed = [p for name, p in model.named_parameters() if p.dim() == 2 and "emb" not in name]
    others = [p for name, p in model.named_parameters() if not (p.dim() == 2 and "emb" not in name)]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))
    n = config["context_length"]
    for step in range(steps):
        starts = torch.randint(len(data) - n, (4,)).tolist()
        x = torch.stack([data[s:s + n] for s in starts])
        y = torch.stack([data[s + 1:s + 1 + n] for s in starts])
        lr = lr_at(step, 1e-2, 1e-3, 5, 18)
        for group in optimizer.param_groups:
            group["lr"] = lr
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(f"step {step:2} lr {lr:.6f} loss {loss.item():.4f} norm {norm.item():.4f}")
    model.eval()
    with torch.no_grad():
        print(model(data[None, :n - 2])[0, -1])


def gradients(**config):
    """The loss of one batch with larger weights, and the first row of each parameter's gradient."""
    model = GPT(GPT2 | config)
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(5 if p.dim() == 2 else 1)
    tokens = torch.arange(2 * config["context_length"]).view(2, -1) ** 2 % config["vocab_size"]
    loss = F.cross_entropy(model(tokens).flatten(0, 1), ((tokens + 3) % config["vocab_size"]).flatten())
    loss.backward()
    print(f"loss {loss.item():.4f}")
    for name, p in model.named_parameters():
        row = p.grad[0] if p.dim() == 2 else p.grad
        print(name, *(f"{round(x, 4) + 0.0:.4f}" for x in [p.grad.norm().item(), *row[:6].tolist()]))


def sample(draws, vocab_size, temperature, top_k, top_p):
    """nanoGPT's choice of the next token, and after it the nucleus."""
    logits = torch.randn(vocab_size) * 3
    scores = logits / temperature
    if top_k:
        scores[scores < torch.topk(scores, min(top_k, vocab_size)).values[-1]] = -torch.inf
    p = torch.softmax(scores, dim=-1)
    if top_p < 1:
        ordered, order = torch.sort(p, descending=True)
        ordered[torch.cumsum(ordered, 0) - ordered >= top_p] = 0
        p = torch.zeros_like(p).index_put((order,), ordered / ordered.sum())
    print(p)
    print([torch.multinomial(p, 1).item() for _ in range(draws)])
