import torch
outs = []
x = torch.tensor([1.0, 2.0])
for i in range(3):
    x = x * 0.5
    outs.append(x)
print(outs, torch.stack(outs).mean(0), {"a": x, "b": (x, 1)}, sum(outs), [o.shape for o in outs])
best = max(outs, key=lambda t: t.sum().item())
print(best, sorted([t.sum().item() for t in outs]))
