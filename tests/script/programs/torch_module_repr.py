import torch.nn as nn
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
        self.drop = nn.Dropout(0.1)
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 4)
        self.blocks = nn.Sequential(*[Block(4) for _ in range(2)])
        self.heads = nn.ModuleList([nn.Linear(4, 2, bias=False) for _ in range(3)])
        self.table = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Identity()})
print(Model())
