import torch
w = torch.tensor([5.0, -5.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.05, momentum=0.9, weight_decay=0.01)
for _ in range(6):
    opt.zero_grad()
    (w ** 2).sum().backward()
    opt.step()
    print(w.tolist())
