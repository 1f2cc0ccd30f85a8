import torch
inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]])
query = inputs[1]
scores = torch.empty(inputs.shape[0])
for i, x_i in enumerate(inputs):
    scores[i] = torch.dot(x_i, query)
print(scores)
weights = torch.softmax(scores, dim=0)
context = torch.zeros(query.shape)
for i, x_i in enumerate(inputs):
    context += weights[i] * x_i
print(weights, weights.sum(), context)
res = 0.
for idx, element in enumerate(inputs[0]):
    res += inputs[0][idx] * query[idx]
print(res, inputs @ inputs.T)
