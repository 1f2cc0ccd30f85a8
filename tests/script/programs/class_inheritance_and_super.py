class A:
    def __init__(self, x):
        self.x = x
    def who(self):
        return "A" + str(self.x)
    def call(self):
        return self.who()
class B(A):
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y
    def who(self):
        return "B" + super().who() + str(self.y)
class C(B):
    def who(self):
        return "C" + super().who()
c = C(1, 2)
print(c.call(), A.who(c), isinstance(c, A), isinstance(A(1), B), issubclass(C, A), issubclass(A, C))
