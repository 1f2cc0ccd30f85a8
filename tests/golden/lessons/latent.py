#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn latent --outputs`: the program of the lesson, at its own settings."""
import torch
import torch.nn as nn
import torch.nn.functional as F

inputs = torch.tensor(
  [[ 0.5, -0.3,  0.8,  0.1, -0.6,  0.4],  # the
   [-0.9,  1.1,  0.2, -0.4,  0.3,  0.7],  # moon
   [ 0.7,  0.6, -1.0,  0.9, -0.2, -0.5],  # lit
   [-0.2, -1.2,  0.4,  0.6,  0.9,  0.1],  # every
   [ 1.0,  0.1, -0.5, -0.8,  0.6, -0.3]]  # roof
)
heads = 3
head_dim = 2
latent = 4
rope = 2
assert head_dim % 2 == latent % 2 == rope % 2 == 0, \
    "head_dim, latent and rope must be even"

class LatentAttention(nn.Module):
    def __init__(self, d_in, heads, head_dim, latent):
        super().__init__()
        self.heads = heads
        self.W_query = nn.Linear(d_in, heads * head_dim, bias=False)
        self.down = nn.Linear(d_in, latent, bias=False)
        self.up_key = nn.Linear(latent, heads * head_dim, bias=False)
        self.up_value = nn.Linear(latent, heads * head_dim, bias=False)
        self.out_proj = nn.Linear(heads * head_dim, d_in, bias=False)

    def cut(self, x):
        return x.view(len(x), self.heads, -1).transpose(0, 1)

    def forward(self, x):
        queries = self.cut(self.W_query(x))
        latents = self.down(x)
        keys = self.cut(self.up_key(latents))
        values = self.cut(self.up_value(latents))
        hidden = torch.ones(len(x), len(x)).triu(1).bool()
        scores = queries @ keys.transpose(1, 2) / keys.shape[2]**0.5
        masked = scores.masked_fill(hidden, -torch.inf)
        weights = torch.softmax(masked, dim=-1)
        found = weights @ values
        return self.out_proj(found.transpose(0, 1).flatten(1))

torch.manual_seed(123)
attention = LatentAttention(inputs.shape[1], heads, head_dim, latent)
for _weight in attention.parameters():
    nn.init.normal_(_weight, std=0.7)  # larger than usual, to see more
context = attention(inputs)
print(context)

with torch.no_grad():
    queries = attention.cut(attention.W_query(inputs))
    latents = attention.down(inputs)
    keys = attention.cut(attention.up_key(latents))
    values = attention.cut(attention.up_value(latents))
    found = F.scaled_dot_product_attention(
        queries, keys, values, is_causal=True)
    torch_context = attention.out_proj(found.transpose(0, 1).flatten(1))
print(torch.allclose(torch_context, context, atol=1e-5))

up_key = attention.up_key.weight.detach().view(heads, head_dim, latent)
asked = queries @ up_key
scores = asked @ latents.T / head_dim**0.5
usual_scores = queries @ keys.transpose(1, 2) / head_dim**0.5
scores_0 = scores[0]
usual_scores_0 = usual_scores[0]

hidden = torch.ones(len(inputs), len(inputs)).triu(1).bool()
weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
gathered = weights @ latents
up_value = attention.up_value.weight.detach().view(heads, head_dim, latent)
absorbed_found = gathered @ up_value.transpose(1, 2)
gathered_0 = gathered[0]

n = len(inputs)
query = queries[:, -1:]
weight = torch.full((heads, 1, n), 1 / n)  # any weights will do
with torch.no_grad():
    built_keys = attention.cut(attention.up_key(latents))
    built_values = attention.cut(attention.up_value(latents))
    query @ built_keys.transpose(1, 2)
    weight @ built_values
    (query @ up_key) @ latents.T
    (weight @ latents) @ up_value.transpose(1, 2)

def products(n, heads, width, latent):
    built = 2 * n * latent * heads * width + 2 * heads * n * width
    absorbed = 2 * heads * width * latent + 2 * heads * n * latent
    return [built, absorbed, 2 * heads * n * width]

work = torch.tensor([products(n, heads, head_dim, latent),
                     products(1000, 128, 128, 512)])
print(work)

def turn(x, places):
    pairs = x.shape[-1] // 2
    speeds = 100.0 ** (-torch.arange(pairs).double() / pairs)
    angle = places[:, None] * speeds
    cos, sin = angle.cos().float(), angle.sin().float()
    a, b = x[..., 0::2], x[..., 1::2]
    turned = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1)
    return turned.flatten(-2)

places = torch.arange(n)
turned_scores = turn(queries, places)[0, -1] @ turn(keys, places)[0].T
far_back = n - 1 - places
asked_by_key = turn(queries[0, -1].expand(n, -1), far_back) @ up_key[0]
absorbed_scores = (asked_by_key * latents).sum(dim=-1)

class RotaryLatent(LatentAttention):
    def __init__(self, d_in, heads, head_dim, latent, rope):
        super().__init__(d_in, heads, head_dim, latent)
        self.rope_query = nn.Linear(d_in, heads * rope, bias=False)
        self.rope_key = nn.Linear(d_in, rope, bias=False)

    def forward(self, x, start=0):
        places = torch.arange(len(x)) + start
        queries = self.cut(self.W_query(x))
        latents = self.down(x)
        keys = self.cut(self.up_key(latents))
        values = self.cut(self.up_value(latents))
        turned_query = turn(self.cut(self.rope_query(x)), places)
        turned_key = turn(self.rope_key(x), places)
        content = queries @ keys.transpose(1, 2)
        position = turned_query @ turned_key.T
        width = queries.shape[2] + turned_key.shape[1]
        scores = (content + position) / width**0.5
        hidden = torch.ones(len(x), len(x)).triu(1).bool()
        masked = scores.masked_fill(hidden, -torch.inf)
        weights = torch.softmax(masked, dim=-1)
        found = weights @ values
        return self.out_proj(found.transpose(0, 1).flatten(1))

rotary = RotaryLatent(inputs.shape[1], heads, head_dim, latent, rope)
for _weight in rotary.parameters():
    nn.init.normal_(_weight, std=0.7)
placed = rotary(inputs)
moved = rotary(inputs, 1000)

with torch.no_grad():
    cached_latents = rotary.down(inputs[:-1])
    cached_parts = turn(rotary.rope_key(inputs[:-1]), torch.arange(n - 1))

    new, place = inputs[-1:], torch.tensor([n - 1])
    all_latents = torch.cat([cached_latents, rotary.down(new)])
    all_parts = torch.cat([cached_parts, turn(rotary.rope_key(new), place)])
    up = rotary.up_key.weight.view(heads, head_dim, latent)
    content = rotary.cut(rotary.W_query(new)) @ up @ all_latents.T
    part = turn(rotary.cut(rotary.rope_query(new)), place)
    scores = (content + part @ all_parts.T) / (head_dim + rope)**0.5
    weights = torch.softmax(scores, dim=-1)
    weights_0 = weights[0]
    up = rotary.up_value.weight.view(heads, head_dim, latent)
    gathered = weights @ all_latents @ up.transpose(1, 2)
    last_row = rotary.out_proj(gathered.transpose(0, 1).flatten(1))[0]

def kept(heads, width, shared, latent, rope):
    return [2 * heads * width, 2 * shared * width, 2 * width, latent + rope]

here = kept(heads, head_dim, max(1, heads // 2), latent, rope)
sizes = torch.tensor([here, kept(128, 128, 8, 512, 64)])
print(sizes)

mixed = asked @ latents.T
hidden = torch.ones(n, n).triu(1).bool()

scaled = mixed / queries.shape[2]**0.5
weights = torch.softmax(scaled.masked_fill(hidden, -torch.inf), dim=-1)
largest = weights[:, -1].amax(dim=-1)

def scores_from(start):
    places = torch.arange(n) + start
    content = rotary.down(inputs)
    keys = rotary.cut(rotary.up_key(content))
    asks = turn(rotary.cut(rotary.rope_query(inputs)), places)
    part = asks @ turn(rotary.rope_key(inputs), places).T
    queries = rotary.cut(rotary.W_query(inputs))
    content_scores = queries @ keys.transpose(1, 2)
    return (content_scores + part) / (head_dim + rope)**0.5

with torch.no_grad():
    first_scores = scores_from(0)[0]
    later_scores = scores_from(3)[0]
change = (first_scores - later_scores).abs().max().round(decimals=3)

def build(rows):
    keys = rotary.cut(rotary.up_key(rows))
    return keys, rotary.cut(rotary.up_value(rows))

with torch.no_grad():
    rows = rotary.down(inputs)
    asks = rotary.cut(rotary.W_query(inputs))

with torch.no_grad():
    cache = [rows]
    kept = torch.tensor(sum(x.numel() for x in cache) // n)
    new_keys, new_values = build(*cache) if len(cache) == 1 else cache
    content = asks[:, -1:] @ new_keys.transpose(1, 2)

rows = attention.down(inputs).detach().requires_grad_()
keys = attention.cut(attention.up_key(rows))
values = attention.cut(attention.up_value(rows))
masked = (queries @ keys.transpose(1, 2) / head_dim**0.5).masked_fill(
    hidden, -torch.inf)
loss = ((torch.softmax(masked, dim=-1) @ values) ** 2).sum()

rows_grad, keys_grad, values_grad = torch.autograd.grad(
    loss, [rows, keys, values])
through_keys = (keys_grad @ up_key).sum(dim=0)
through_values = (values_grad @ up_value).sum(dim=0)

queries = torch.randn(2, 3, 4)
up = torch.randn(2, 4, 6)
latents = torch.randn(5, 6)

asked = queries @ up
scores = asked @ latents.T / 4**0.5
