class T:
    def __init__(self, c): self._c = c
    @property
    def f(self):
        return self._c * 9 / 5 + 32
    @f.setter
    def f(self, v):
        self._c = (v - 32) * 5 / 9
t = T(100)
print(t.f)
t.f = 32
print(t._c)
