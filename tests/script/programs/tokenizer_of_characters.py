text = "hello world"
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
itos = {i: c for c, i in stoi.items()}
encode = lambda s: [stoi[c] for c in s]
decode = lambda ids: "".join(itos[i] for i in ids)
print(len(chars), "".join(chars), encode("hello"), decode(encode("world")), stoi.get("z"))
encode("xyz")
