#!/usr/bin/env python3
"""PyTorch's side of `glassgrad learn text.tokens --outputs`: the program of the lesson, at its own settings."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

text = "at the seat a cat ate a hat that the cat hates"
words = sorted(set(text.split()))
number = {word: k for k, word in enumerate(words)}
word_ids = torch.tensor([number[word] for word in text.split()])
print(len(words), "different words:", " ".join(words))

try:
    number["hats"]
except KeyError as error:
    pass

letters = sorted(set(text))
letter_ids = torch.tensor([letters.index(letter) for letter in text])
print(len(letters), "letters:", "".join(letters).replace(" ", "_"))
lengths = torch.tensor([len(word_ids), len(letter_ids)])
scores = lengths ** 2

def to_bytes(text):
    result = []
    for letter in text:
        n = ord(letter)
        if n < 128:
            result += [n]
        elif n < 2048:
            result += [192 + n // 64, 128 + n % 64]
        elif n < 65536:
            result += [224 + n // 4096, 128 + n // 64 % 64, 128 + n % 64]
        else:
            result += [240 + n // 262144, 128 + n // 4096 % 64,
                       128 + n // 64 % 64, 128 + n % 64]
    return result

bytes_of_cat = torch.tensor(to_bytes("cat"))
bytes_of_cafe = torch.tensor(to_bytes("café"))

def split(text):
    pieces = []
    for letter in text:
        if letter == " " or not pieces:
            pieces.append(letter)
        else:
            pieces[-1] += letter
    return pieces

pieces = split(text)
piece_lengths = torch.tensor([len(piece) for piece in pieces])
print(" | ".join(piece.replace(" ", "_") for piece in pieces))

def count_pairs(rows):
    counts = {}
    for row in rows:
        for pair in zip(row, row[1:]):
            counts[pair] = counts.get(pair, 0) + 1
    return counts

rows = [[letters.index(letter) for letter in piece] for piece in pieces]
counts = count_pairs(rows)
pair_counts = torch.zeros(len(letters), len(letters), dtype=torch.int64)
for (left, right), count in counts.items():
    pair_counts[left, right] = count

def fits(joined, token, pair):
    return len(joined) > 0 and (joined[-1], token) == pair

def join_pair(row, pair, new):
    joined = []
    for token in row:
        if fits(joined, token, pair):
            joined[-1] = new
        else:
            joined.append(token)
    return joined

a_t = (letters.index("a"), letters.index("t"))
joined_rows = [join_pair(row, a_t, len(letters)) for row in rows]
seat = torch.tensor(joined_rows[2])
ache = [letters.index(letter) for letter in "ache"]
ache = torch.tensor(join_pair(ache, a_t, len(letters)))
all_ids = torch.tensor([token for row in joined_rows for token in row])

def learn_merges(text, vocabulary, most):
    rows = [[vocabulary.index(letter) for letter in piece]
            for piece in split(text)]
    merges, steps = [], []
    for _ in range(most):
        counts = count_pairs(rows)
        often = max([1, *counts.values()])
        if often == 1:
            break
        pair = min(pair for pair in counts if counts[pair] == often)
        new = len(vocabulary)
        vocabulary.append(vocabulary[pair[0]] + vocabulary[pair[1]])
        merges.append(pair)
        rows = [join_pair(row, pair, new) for row in rows]
        steps.append([new, often, sum(len(row) for row in rows)])
    return merges, steps

def show(token):
    return vocabulary[token].replace(" ", "_")

vocabulary = list(letters)
most = 20
merges, steps = learn_merges(text, vocabulary, most)
table = torch.tensor(steps).view(-1, 3)
print(" ".join(show(left) + "+" + show(right) for left, right in merges))

tokens_left = torch.tensor([len(letter_ids)] + [row[2] for row in steps])
rows_of_table = len(letters) + torch.arange(len(tokens_left))
scores = tokens_left ** 2

def ranks_in(row, merges):
    return [merges.index(pair) for pair in zip(row, row[1:])
            if pair in merges]

def encode(text, vocabulary, merges):
    ids = []
    for piece in split(text):
        row = [vocabulary.index(letter) for letter in piece]
        known = ranks_in(row, merges)
        while known:
            rank = min(known)
            new = len(vocabulary) - len(merges) + rank
            row = join_pair(row, merges[rank], new)
            known = ranks_in(row, merges)
        ids += row
    return ids

new_text = "at the hat a cat ate at a seat"
ids = torch.tensor(encode(new_text, vocabulary, merges))

def replay(text):
    rows = [[letters.index(letter) for letter in piece]
            for piece in split(text)]
    for rank, pair in enumerate(merges):
        rows = [join_pair(row, pair, len(letters) + rank) for row in rows]
    return [token for row in rows for token in row]

replayed = torch.tensor(replay(new_text))
learned = torch.tensor(encode(text, vocabulary, merges))

def decode(ids):
    return "".join(vocabulary[token] for token in ids)

pieces = split(text)
ids = torch.tensor([token for piece in pieces
                    for token in encode(piece, vocabulary, merges)])
letters_back = torch.tensor(len(decode(ids.tolist())))

behind_space = torch.tensor(encode(" hat", vocabulary, merges))
alone = torch.tensor(encode("hat", vocabulary, merges))
prompt = torch.tensor(encode("at the ", vocabulary, merges))
before = torch.tensor(encode("at the", vocabulary, merges))

years = "2019 2020 2021 2022 1999 2020 2021 1998 2020"
year_vocabulary = sorted(set(years))
year_merges, _ = learn_merges(years, year_vocabulary, most)
asked = ["2020", "2021", "2012", "2102", "1209"]
year_ids = [encode(" " + year, year_vocabulary, year_merges)
            for year in asked]
tokens_each = torch.tensor([len(row) for row in year_ids])
for year, row in zip(asked, year_ids):
    pieces = [year_vocabulary[token].replace(" ", "_") for token in row]
    print(year, "is", " ".join(pieces))

def groups(digits):
    first = len(digits) % 3
    begin = [digits[:first]] if first else []
    return begin + [digits[k:k + 3] for k in range(first, len(digits), 3)]

a, b = "1234567", "12345"
last_groups = torch.tensor([int(groups(a)[-1]), int(groups(b)[-1])])
last_sum = last_groups.sum() % 1000

class NextToken(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.table = nn.Embedding(tokens, width)
        self.head = nn.Linear(width, tokens, bias=False)

    def forward(self, ids):
        rows = self.table(ids)
        return self.head(rows)

torch.manual_seed(3)
width = 3
model = NextToken(len(vocabulary), width)
logits = model(ids[:-1])
loss = F.cross_entropy(logits, ids[1:])
print(f"loss {loss:.4f}")

rows = model.table(ids[:-1])
loss = F.cross_entropy(model.head(rows), ids[1:])

rows_grad = torch.autograd.grad(loss, rows, retain_graph=True)[0]
loss.backward()
table_grad = model.table.weight.grad
added = torch.zeros(len(vocabulary), width).index_add(
    0, ids[:-1], rows_grad)
used = ids[:-1].bincount(minlength=len(vocabulary))

before = model.table.weight.detach().clone()
head_before = model.head.weight.detach().clone()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for _ in range(100):
    loss = F.cross_entropy(model(ids[:-1]), ids[1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
moved = (model.table.weight - before).norm(dim=-1)
head_moved = (model.head.weight - head_before).norm(dim=-1)
print(f"loss {loss:.4f} after the training")

choices = torch.tensor([len(letters), len(vocabulary)])
places = torch.tensor([len(letter_ids), len(ids)])
loss_of_token = torch.log(choices.float())
loss_of_letter = loss_of_token * places / len(text)
