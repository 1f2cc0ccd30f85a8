import torch
import torch.nn.functional as F
torch.manual_seed(5)
q, k, v = torch.rand(1, 3, 4), torch.rand(1, 3, 4), torch.rand(1, 3, 4)
by_hand = torch.softmax(q @ k.transpose(-2, -1) / 4 ** 0.5, dim=-1) @ v
print(torch.allclose(F.scaled_dot_product_attention(q, k, v), by_hand, atol=1e-6))
print(torch.softmax(q @ k.transpose(1, 2), dim=-1).shape, by_hand)
