class C:
    def __init__(self, n): self.n = n
    def __call__(self, *a, **k): return self.n, a, k
    def __len__(self): return self.n
    def __contains__(self, x): return x < self.n
c = C(2)
print(c(1, z=2), len(c), bool(c), bool(C(0)), 1 in c, 5 in c, 5 not in c)
class B:
    def __bool__(self): return False
print(bool(B()), "yes" if B() else "no", not B())
