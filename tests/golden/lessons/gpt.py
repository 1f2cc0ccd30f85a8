import math
import torch
import torch.nn as nn
import torch.nn.functional as F

subjects = ["cats", "monkeys", "dogs", "foxes", "birds", "bears"]
things = {"climb": ["trees", "hills", "walls"],
          "chase": ["mice", "leaves", "shadows"],
          "cross": ["roads", "fields", "bridges"],
          "guard": ["nests", "caves", "doors"],
          "watch": ["clouds", "rivers", "stars"],
          "smell": ["flowers", "honey", "smoke"]}
events = [["storms", "floods"],
          ["holidays", "sunsets"],
          ["winters", "harvests"]]
sentences = [[subject, verb, thing, "during", events[i // 2][j // 3]]
             for i, subject in enumerate(subjects)
             for j, verb in enumerate(things)
             for thing in things[verb]]
vocabulary = sorted({word for sentence in sentences for word in sentence})
number = {word: k for k, word in enumerate(vocabulary)}

text = "cats climb trees during"
words = text.split()
ids = torch.tensor([[number[word] for word in words]])

class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.W_query = nn.Linear(width, width)
        self.W_key = nn.Linear(width, width)
        self.W_value = nn.Linear(width, width)
        self.out_proj = nn.Linear(width, width)
        self.switch = torch.ones(heads, 1, 1)  # 0 turns a head off

    def forward(self, x):
        batch, tokens, width = x.shape
        heads = len(self.switch)
        cut = (batch, tokens, heads, width // heads)
        queries = self.W_query(x).view(cut).transpose(1, 2)
        keys = self.W_key(x).view(cut).transpose(1, 2)
        values = self.W_value(x).view(cut).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3)
        scaled = scores * cut[3]**-0.5
        future = torch.triu(torch.ones(tokens, tokens), diagonal=1) == 1
        masked = scaled.masked_fill(future, -torch.inf)
        weights = torch.softmax(masked, dim=-1)
        found = weights @ values * self.switch
        combined = found.transpose(1, 2).reshape(batch, tokens, width)
        return self.out_proj(combined)

class FeedForward(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"),
            nn.Linear(4 * width, width))

    def forward(self, x):
        hidden = self.layers[0](x)
        activated = self.layers[1](hidden)
        return self.layers[2](activated)

class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.att = Attention(width, heads)
        self.ff = FeedForward(width)
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)

    def forward(self, x):
        normed = self.norm1(x)
        attended = self.att(normed)
        x = x + attended
        normed = self.norm2(x)
        fed = self.ff(normed)
        x = x + fed
        return x

class GPT(nn.Module):
    def __init__(self, width, heads, blocks, context):
        super().__init__()
        self.tok_emb = nn.Embedding(len(vocabulary), width)
        self.pos_emb = nn.Embedding(context, width)
        self.trf_blocks = nn.ModuleList([Block(width, heads) for _ in range(blocks)])
        self.final_norm = nn.LayerNorm(width)
        self.out_head = nn.Linear(width, len(vocabulary), bias=False)

    def forward(self, ids):
        tok_embeds = self.tok_emb(ids)
        places = torch.arange(ids.shape[1])
        pos_embeds = self.pos_emb(places)
        x = tok_embeds + pos_embeds
        for block in self.trf_blocks:
            x = block(x)
        normed = self.final_norm(x)
        logits = self.out_head(normed)
        return logits

width = 8
heads = 2
blocks = 1
assert width % heads == 0, "--heads must divide --width"
torch.manual_seed(37)
untrained = GPT(width, heads, blocks, context=4)
print(sum(p.numel() for p in untrained.parameters()), "numbers to learn")

held_out = {"cats": "climb", "monkeys": "guard", "dogs": "chase",
            "foxes": "watch", "birds": "cross", "bears": "smell"}
known = torch.tensor([[number[word] for word in sentence]
                      for sentence in sentences
                      if held_out[sentence[0]] != sentence[1]])

def train(model, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.005, weight_decay=0.01)
    for step in range(steps):
        batch = known[torch.randint(0, len(known), (32,))]
        guesses = model(batch[:, :-1])
        loss = F.cross_entropy(guesses.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

train(untrained, 300)
model = untrained.eval()

logits = model(ids)

probabilities = torch.softmax(logits[0, -1], dim=-1)
top = torch.topk(probabilities, 5)
for p, k in zip(top.values.tolist(), top.indices.tolist()):
    print(f"{p:.4f} {vocabulary[k]}")

likeliest = probabilities.argmax().item()
drawn = [vocabulary[k] for k in torch.multinomial(
    probabilities.detach(), 8, replacement=True).tolist()]
print("likeliest:", vocabulary[likeliest])
print("drawn:", " ".join(drawn))

def without(block, head):
    attention = model.trf_blocks[block].att
    attention.switch[head] = 0
    with torch.no_grad():
        p = torch.softmax(model(ids)[0, -1], dim=-1)
    attention.switch[head] = 1
    return p

group = list(things).index(words[1]) // 3
after_verb = [pair[group] for pair in events]
after_subject = events[subjects.index(words[0]) // 2]

tried = [(block, head) for block in range(blocks) for head in range(heads)]
switched = torch.stack([without(block, head) for block, head in tried])
said = [vocabulary[p.argmax()] for p in switched]
for (block, head), word, p in zip(tried, said, switched):
    print(f"without head {head} of block {block}: {word} {p.max():.4f}")
left = switched[:, likeliest]

target = likeliest
logits = model(ids)[0, -1]
p = torch.softmax(logits, dim=-1)
p_target = p[target]
loss = -torch.log(p_target)

model.zero_grad()
logits.retain_grad()
loss.backward()
by_logits = logits.grad
by_embedding = model.tok_emb.weight.grad[ids[0]]
