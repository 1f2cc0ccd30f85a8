x = "global"
class C:
    x = "class"
    y = x
    def f(self):
        return x
def g():
    x = "local"
    class D:
        y = x
        x = "of D"
        z = x
    return D.z
print(C.y, C().f(), C.x)
print(g())
