"""Writes pytorch.pt, a file of PyTorch 2.6's, for tests/python/test_files.py: python3 write_pt.py"""

import collections

import torch

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.LayerNorm(3))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
model(torch.ones(1, 2)).square().sum().backward()
optimizer.step()
x = torch.arange(6.0)
torch.save(
    {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "parameter": model[1].bias,
        "views": [x[2:5], x.view(2, 3).t()],
        "others": [torch.arange(3), torch.tensor([True, False]), torch.tensor(0.1, dtype=torch.float64), torch.ones(0, 2)],
        "again": x,
        "learned": torch.ones(2, requires_grad=True),
        "plain": [None, True, -5, 300, 70000, 2**70, -(2**70), 0.5, "ü", b"\x00\xff", b"", (1,), (1, 2, 3, 4), {1, 2}, {}],
        "torch": (torch.float32, torch.int64, torch.Size([2, 3]), torch.device("cpu")),
        "counted": collections.Counter("aab"),
        "ordered": collections.OrderedDict([(2, "b"), (1, "a")]),
    },
    "pytorch.pt",
)
