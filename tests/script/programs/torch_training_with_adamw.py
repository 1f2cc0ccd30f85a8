import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(7)
emb, out = nn.Embedding(5, 3), nn.Linear(3, 5)
params = list(emb.parameters()) + list(out.parameters())
opt = torch.optim.AdamW(params, lr=0.1)
ids, targets = torch.tensor([0, 1, 2, 3]), torch.tensor([1, 2, 3, 4])
for step in range(5):
    loss = F.cross_entropy(out(emb(ids)), targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4))
print(out(emb(ids)).argmax(dim=-1), emb, opt)
