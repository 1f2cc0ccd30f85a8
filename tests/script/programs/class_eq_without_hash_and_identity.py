class A: pass
a, b = A(), A()
print(a == a, a == b, a != b, a in [a], a in [b], len({a, b, a}), {a: 1}[a])
class B:
    def __init__(self, v): self.v = v
    def __eq__(self, other): return self.v == getattr(other, "v", None)
print(B(1) == B(1), B(1) != B(2), B(1) == 1, [B(1), B(2)].index(B(2)), [B(1)] == [B(1)], B(1) in (B(0), B(1)))
