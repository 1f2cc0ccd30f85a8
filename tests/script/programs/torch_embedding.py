import torch
import torch.nn as nn
torch.manual_seed(123)
vocab = {"the": 0, "cat": 1, "sat": 2}
emb = nn.Embedding(len(vocab), 4)
pos = nn.Embedding(5, 4)
ids = torch.tensor([vocab[w] for w in "the cat sat the".split()])
x = emb(ids) + pos(torch.arange(len(ids)))
print(emb.weight, ids, x, emb(torch.tensor([[0, 1], [2, 0]])).shape, emb)
emb(torch.tensor([7]))
