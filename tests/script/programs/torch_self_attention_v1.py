import torch
import torch.nn as nn
class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
    def forward(self, x):
        keys = x @ self.W_key
        attn_scores = (x @ self.W_query) @ keys.T
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        return attn_weights @ (x @ self.W_value)
torch.manual_seed(123)
sa = SelfAttention_v1(3, 2)
print(sa(torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66]])), sa)
