import torch
import torch.nn as nn
import torch.nn.functional as F
class Bigram(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.table = nn.Embedding(vocab, vocab)
    def forward(self, idx, targets=None):
        logits = self.table(idx)
        if targets is None:
            return logits, None
        B, T, C = logits.shape
        return logits, F.cross_entropy(logits.view(B * T, C), targets.view(B * T))
    @torch.no_grad()
    def generate(self, idx, n):
        for _ in range(n):
            logits, _ = self(idx)
            idx = torch.cat((idx, logits[:, -1, :].argmax(dim=-1, keepdim=True)), dim=1)
        return idx
torch.manual_seed(42)
m = Bigram(5)
logits, loss = m(torch.tensor([[0, 1, 2]]), torch.tensor([[1, 2, 3]]))
print(logits.shape, loss, m.generate(torch.zeros((1, 1), dtype=torch.long), 5))
