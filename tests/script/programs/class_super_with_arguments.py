class A:
    def f(self):
        return "A.f"
class B(A):
    def f(self):
        return "B.f"
    def up(self):
        return super(B, self).f()
b = B()
print(b.up(), b.f(), super(B, b).f())
