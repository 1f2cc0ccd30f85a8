class M:
    count = 0
    @staticmethod
    def add(a, b): return a + b
    @classmethod
    def make(cls, n):
        cls.count += 1
        m = cls()
        m.n = n
        return m
class N(M): pass
print(M.add(1, 2), M().add(3, 4), M.make(5).n, type(N.make(6)).__name__, M.count, N.count)
