import torch
torch.manual_seed(123)
probs = torch.tensor([0.1, 0.2, 0.7])
print(torch.multinomial(probs, 5, replacement=True), torch.multinomial(probs, 2))
counts = torch.bincount(torch.multinomial(probs, 1000, replacement=True), minlength=3)
print(counts.sum(), counts.argmax())
logits = torch.tensor([1.0, 5.0, 2.0, 4.0])
top, places = torch.topk(logits, 2)
print(top, places, torch.where(logits < top[-1], torch.tensor(float("-inf")), logits))
