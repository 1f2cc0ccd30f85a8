class A:
    def f(self, i):
        return i * 10
class B(A):
    def f(self, i):
        g = lambda: i + 1
        return super().f(g())
    def name(self):
        return __class__.__name__
print(B().f(2), B().name())
