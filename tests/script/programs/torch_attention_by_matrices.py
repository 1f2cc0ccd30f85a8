import torch
torch.manual_seed(123)
inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33]])
d_in, d_out = inputs.shape[1], 2
W_query = torch.nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)
W_key = torch.nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)
W_value = torch.nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)
queries, keys, values = inputs @ W_query, inputs @ W_key, inputs @ W_value
d_k = keys.shape[-1]
weights = torch.softmax(queries @ keys.T / d_k**0.5, dim=-1)
print("W_query:", W_query)
print(f"keys: {keys.shape}\nweights: {weights}\ncontext: {weights @ values}")
