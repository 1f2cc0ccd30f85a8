import torch
import torch.nn.functional as F
x = torch.tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])
print(torch.softmax(x, dim=-1), F.softmax(x, dim=0), x.softmax(1).sum(1), F.log_softmax(x, dim=-1), torch.softmax(torch.tensor([1000.0, 0.0]), 0))
print(torch.softmax(torch.tensor([-torch.inf, 0.0]), dim=0), F.softmax(x / 0.5, -1).argmax(-1))
