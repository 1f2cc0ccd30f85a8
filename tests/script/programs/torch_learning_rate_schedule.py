import torch
w = torch.nn.Parameter(torch.tensor([1.0]))
opt = torch.optim.SGD([w], lr=1.0)
for step in range(4):
    opt.param_groups[0]["lr"] = 0.1 * (step + 1)
    opt.zero_grad()
    (3 * w).sum().backward()
    opt.step()
    print(step, w.item(), w.grad, opt.param_groups[0]["lr"])
