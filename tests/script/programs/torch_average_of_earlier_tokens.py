import torch
torch.manual_seed(1337)
x = torch.randn(4, 2)
slow = torch.zeros(4, 2)
for t in range(4):
    slow[t] = x[:t + 1].mean(0)
wei = torch.tril(torch.ones(4, 4))
wei = wei / wei.sum(1, keepdim=True)
scores = torch.zeros(4, 4).masked_fill(torch.tril(torch.ones(4, 4)) == 0, float("-inf"))
print(wei, torch.allclose(wei @ x, slow), torch.allclose(torch.softmax(scores, dim=-1) @ x, slow, atol=1e-6))
