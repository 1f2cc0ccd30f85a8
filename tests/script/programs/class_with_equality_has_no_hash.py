class K:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
print(K(1) == K(1), K(1) != K(2), K(1) in [K(2), K(1)], [K(1)] == [K(1)], [K(1), K(2)].index(K(2)))
{K(1): 1}
