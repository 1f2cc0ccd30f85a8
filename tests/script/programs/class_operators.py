class V:
    def __init__(self, *v): self.v = v
    def __add__(self, o): return V(*(a + b for a, b in zip(self.v, o.v)))
    def __mul__(self, k): return V(*(a * k for a in self.v))
    def __rmul__(self, k): return self * k
    def __neg__(self): return self * -1
    def __sub__(self, o): return self + -o
    def __matmul__(self, o): return sum(a * b for a, b in zip(self.v, o.v))
    def __eq__(self, o): return isinstance(o, V) and self.v == o.v
    def __getitem__(self, i): return self.v[i]
    def __len__(self): return len(self.v)
    def __repr__(self): return f"V{self.v}"
a, b = V(1, 2), V(3, 4)
print(a + b, a - b, a * 2, 2 * a, -a, a @ b, a == V(1, 2), a != b, a[1], a[-1], len(a), a[0:1])
