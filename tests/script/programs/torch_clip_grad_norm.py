import torch
import torch.nn as nn
torch.manual_seed(3)
m = nn.Linear(3, 1)
(m(torch.ones(2, 3)) * 100).sum().backward()
print(m.weight.grad, m.bias.grad)
norm = torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
print(norm, m.weight.grad, m.bias.grad)
