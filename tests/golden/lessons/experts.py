#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn experts --outputs`: the program of the lesson, at its own settings."""
import torch
import torch.nn as nn
import torch.nn.functional as F

inputs = torch.tensor(
  [[ 0.9, -0.2,  0.4, -1.1],  # seven
   [-0.6,  1.2,  0.3,  0.5],  # cats
   [ 0.1,  0.7, -1.3,  0.2],  # sleep
   [ 0.4, -0.8, -0.5,  0.6],  # in
   [ 1.1,  0.3,  0.2, -0.7],  # one
   [-0.9,  0.6,  0.8,  0.1]]  # bed
)
experts = 4
top_k = 2
hidden = 3
assert top_k <= experts, "top_k must be at most experts"

class SwiGLU(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gate_proj = nn.Linear(width, hidden, bias=False)
        self.up_proj = nn.Linear(width, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))

class Experts(nn.Module):
    def __init__(self, width, hidden, experts, top_k):
        super().__init__()
        self.top_k = top_k
        self.router = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(
            [SwiGLU(width, hidden) for _ in range(experts)])

    def forward(self, x):
        logits = self.router(x)
        best, chosen = torch.topk(logits, self.top_k, dim=-1)
        weights = torch.softmax(best, dim=-1)
        result = torch.zeros_like(x)
        for k, expert in enumerate(self.experts):
            rows, places = torch.where(chosen == k)
            share = weights[rows, places]
            answers = share[:, None] * expert(x[rows])
            result = result.index_add(0, rows, answers)
        return result

torch.manual_seed(123)
moe = Experts(inputs.shape[1], hidden, experts, top_k)
for _weight in moe.parameters():
    nn.init.normal_(_weight)  # larger than usual, to see more
result = moe(inputs)
print(result)

best, chosen = torch.topk(moe.router(inputs[1]), top_k)
shares = torch.softmax(best, dim=-1)
answers = torch.stack([moe.experts[k](inputs[1]) for k in chosen.tolist()])
by_hand = (shares[:, None] * answers).sum(dim=0)

with torch.no_grad():
    best, chosen = torch.topk(moe.router(inputs), top_k, dim=-1)
    table = torch.zeros(len(inputs), experts).scatter(
        -1, chosen, torch.softmax(best, dim=-1))
    everything = torch.stack(
        [expert(inputs) for expert in moe.experts], dim=1)
    dense = (table[:, :, None] * everything).sum(dim=1)
load = (table > 0).sum(dim=0)
print(torch.allclose(dense, result, atol=1e-6))

def sizes(width, hidden, experts, top_k):
    expert, router = 3 * width * hidden, width * experts
    return [experts * expert + router, top_k * expert + router]

counts = torch.tensor([sizes(inputs.shape[1], hidden, experts, top_k),
                       sizes(4096, 11008, 8, 2)])
stored = sum(p.numel() for p in moe.parameters())
print(counts)

logits = moe.router(inputs).detach()
best, chosen = torch.topk(logits, top_k, dim=-1)
answers = torch.stack([expert(inputs).detach() for expert in moe.experts],
                      dim=1)
rows = torch.arange(len(inputs))[:, None]

shares = torch.softmax(best, dim=-1)
mixed = (shares[:, :, None] * answers[rows, chosen]).sum(dim=1)
length = mixed.norm(dim=-1)

logits = moe.router(inputs).detach().requires_grad_()
first = logits.argmax(dim=-1, keepdim=True)

share = torch.softmax(logits, dim=-1).gather(-1, first)
one = (share * answers[rows, first][:, 0]).pow(2).sum()
slope = torch.autograd.grad(one, logits)[0].abs().sum(dim=-1)

padded = torch.cat([inputs, torch.zeros(1, inputs.shape[1])])
logits = moe.router(padded).detach()
ordered, numbers = logits.sort(dim=-1, descending=True, stable=True)
best, chosen = ordered[:, :top_k], numbers[:, :top_k]

marked = torch.zeros_like(logits).scatter(-1, chosen, 1.0)
used = marked.sum(dim=-1)

scores = moe.router(inputs).detach().requires_grad_()
best, chosen = torch.topk(scores, top_k, dim=-1)
shares = torch.softmax(best, dim=-1)
answers = torch.stack([expert(inputs) for expert in moe.experts], dim=1)
picked = answers[torch.arange(len(inputs))[:, None], chosen]
mixed = (shares[:, :, None] * picked).sum(dim=1)
loss = (mixed ** 2).sum()

loss.backward()
router_grad = scores.grad.T @ inputs

g = 2 * mixed.detach()
ahead = (picked - mixed[:, None]).detach() @ g[:, :, None]  # g . (y_i - y)
formula = torch.zeros_like(scores).scatter(
    -1, chosen, shares.detach() * ahead[:, :, 0])

def balance(scores, chosen):
    n = scores.shape[-1]
    f = F.one_hot(chosen, n).float().mean(dim=(0, 1))
    p = torch.softmax(scores, dim=-1).mean(dim=0)
    return n * (f * p).sum()

router_scores = moe.router(inputs).detach().requires_grad_()
load_loss = balance(router_scores, chosen)

load_loss.backward()
push = router_scores.grad.sum(dim=0)

def train(balance_weight):
    torch.manual_seed(123)
    net = Experts(4, hidden, experts, top_k)
    maps = torch.randn(4, 4, 4)
    with torch.no_grad():
        net.router.weight[0] += 4.0
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.03)
    losses, loads = [], []
    for _ in range(100):
        kinds = torch.randint(4, (32,))
        rows = F.one_hot(kinds, 4) + 0.3 * torch.randn(32, 4)
        wanted = (maps[kinds] @ rows[:, :, None])[:, :, 0]
        scores = net.router(rows)
        best, chosen = torch.topk(scores, top_k, dim=-1)
        loss = ((net(rows) - wanted) ** 2).mean()
        optimizer.zero_grad()
        (loss + balance_weight * balance(scores, chosen)).backward()
        optimizer.step()
        losses.append(loss.detach())
        used = F.one_hot(chosen, experts).sum(dim=1)
        loads.append(used.float().mean(dim=0))
    return torch.stack(losses), torch.stack(loads)

losses_without, loads_without = train(0.0)
losses_with, loads_with = train(0.5)
loads = torch.stack([loads_without[0], loads_without[-20:].mean(dim=0),
                     loads_with[-20:].mean(dim=0)])
ends = torch.stack([losses_without[-20:].mean(), losses_with[-20:].mean()])
busiest = loads[1:].amax(dim=-1)
print(f"loss {ends[0]:.2f} without, {ends[1]:.2f} with the balance loss")

shares = torch.softmax(torch.randn(5, 2), dim=-1)
answers = torch.randn(5, 2, 3)

combined = (shares[:, :, None] * answers).sum(dim=1)
