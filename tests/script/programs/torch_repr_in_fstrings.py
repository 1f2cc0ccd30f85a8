import torch
x = torch.tensor([[0.5, 1.5]])
loss = torch.tensor(0.123456)
print(f"x is {x}, shape {x.shape}, first {x[0, 0]:.2f}, loss {loss:.3f} {loss.item():8.4f} {loss}")
print(str(x), repr(loss), x.shape[0] * "=")
print(f"{x.sum()=}", f"{tuple(x.shape)!r:>10}")
