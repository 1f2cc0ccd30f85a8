import torch
import torch.nn as nn
torch.manual_seed(123)
model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
loss_fn = nn.MSELoss()
X, y = torch.rand(8, 2), torch.rand(8, 1)
for step in range(4):
    opt.zero_grad()
    loss = loss_fn(model(X), y)
    loss.backward()
    opt.step()
    print(step, loss.item())
print(model)
print(model[0].weight, len(model), opt.param_groups[0]["lr"])
