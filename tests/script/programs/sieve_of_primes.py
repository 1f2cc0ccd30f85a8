n = 50
sieve = [True] * (n + 1)
sieve[0:2] = [False, False]
for i in range(2, int(n ** 0.5) + 1):
    if sieve[i]:
        sieve[i * i::i] = [False] * len(sieve[i * i::i])
print([i for i, p in enumerate(sieve) if p])
