class P:
    def __init__(self, k): self.k = k
    def __lt__(self, o): return self.k < o.k
    def __le__(self, o): return self.k <= o.k
    def __eq__(self, o): return self.k == o.k
    def __repr__(self): return f"P{self.k}"
print(sorted([P(3), P(1), P(2)]), P(1) < P(2), P(2) > P(1), P(1) <= P(1), P(2) >= P(3), max(P(1), P(5)), P(1) in [P(1)])
P(1) < 5
