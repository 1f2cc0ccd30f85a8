import torch
import torch.nn as nn
torch.manual_seed(123)
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
X = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = torch.tensor([[1.0], [2.0], [3.0]])
for epoch in range(5):
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(X), y)
    loss.backward()
    opt.step()
    print(f"epoch {epoch} loss {loss:.4f}")
print(model.weight, model.bias, opt)
