class N:
    def __init__(self, n): self.n = n
    def __iadd__(self, k):
        self.n += k
        return self
    def __add__(self, k): return N(self.n + k)
    def __sub__(self, k): return N(self.n - k)
a = b = N(1)
a += 5
print(a.n, b.n, a is b)
a -= 1
print(a.n, b.n, a is b)
