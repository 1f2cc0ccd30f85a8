import torch
text = "the quick brown fox jumps over the lazy dog"
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
torch.manual_seed(1337)
block = 5
ix = torch.randint(len(data) - block, (3,))
x = torch.stack([data[i:i + block] for i in ix])
y = torch.stack([data[i + 1:i + block + 1] for i in ix])
print(data.shape, x, y, ["".join(chars[i] for i in row) for row in x.tolist()])
for t in range(block):
    print(x[0, :t + 1].tolist(), "->", y[0, t].item())
