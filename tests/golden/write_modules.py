"""Writes modules.pt with PyTorch: whole modules with an input and their output, optimizers, and a scheduler."""

import pathlib
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
x = torch.randn(2, 2, 4)
net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.LayerNorm(3))
tagged = nn.Linear(4, 2)
tagged.weight.tag = "kept"
modules = [
    (net, x), (nn.TransformerEncoderLayer(4, 2, 5, batch_first=True).eval(), x), (nn.utils.weight_norm(nn.Linear(4, 2)), x),
    (nn.BatchNorm1d(2).eval(), x), (nn.Conv1d(2, 2, 3), x), (nn.Embedding(5, 3, padding_idx=1), torch.tensor([1, 2])),
    (nn.Bilinear(4, 4, 2), (x, x)), (nn.ModuleDict({"a": nn.GELU()})["a"], x), (tagged, x), (nn.EmbeddingBag(5, 3), torch.tensor([[1, 2]])),
]
optimizer = torch.optim.AdamW(net.parameters(), lr=0.5)
net(x).sum().backward()
optimizer.step()
results = [(module, x, (module(*x) if isinstance(x, tuple) else module(x)).detach()) for module, x in modules]
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
torch.save((results, optimizer, scheduler), pathlib.Path(__file__).with_name("modules.pt"))
