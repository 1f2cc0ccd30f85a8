class K:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __hash__(self): return hash(self.n)
d = {K(1): "one"}
print(d[K(1)], K(1) in d, K(2) in d, len({K(1), K(1), K(2)}))
class E:
    def __eq__(self, o): return True
{E(): 1}
