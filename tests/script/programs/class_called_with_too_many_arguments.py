class P:
    def __init__(self, a): self.a = a
P(1, 2)
