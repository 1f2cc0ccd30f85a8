import torch
import torch.nn as nn
x = torch.tensor([[1.0, 2.0, 3.0, 4.0], [10.0, 0.0, -10.0, 5.0]])
ln = nn.LayerNorm(4)
mean, var = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True, unbiased=False)
by_hand = (x - mean) / torch.sqrt(var + 1e-5)
print(ln(x), torch.allclose(ln(x), by_hand, atol=1e-5), ln, ln(x).mean(-1).abs() < 1e-6, [n for n, p in ln.named_parameters()])
