text = "the cat sat on the mat the end"
counts = {}
for word in text.split():
    counts[word] = counts.get(word, 0) + 1
for word, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
    print(f"{word:<5}{n:>3} {'#' * n}")
print(max(counts, key=counts.get), {n: [w for w in counts if counts[w] == n] for n in set(counts.values())})
