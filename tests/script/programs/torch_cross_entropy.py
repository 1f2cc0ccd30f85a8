import torch
import torch.nn.functional as F
logits = torch.tensor([[2.0, 1.0, 0.1], [0.5, 2.5, 0.3]], requires_grad=True)
targets = torch.tensor([0, 1])
loss = F.cross_entropy(logits, targets)
loss.backward()
print(loss, logits.grad, F.cross_entropy(logits, targets, reduction="none"), -F.log_softmax(logits, -1)[range(2), targets].mean())
probas = torch.softmax(logits, dim=-1)
print(probas[torch.arange(2), targets], -torch.log(probas[[0, 1], targets]).mean())
F.cross_entropy(logits, torch.tensor([0, 5]))
