class A:
    def __init__(self):
        self.a = 1
        self.b = [2]
a = A()
print(a.__dict__)
a.__dict__["c"] = 3
print(a.c)
setattr(a, "d", 4)
print(a.__dict__, getattr(a, "d"), hasattr(a, "a"))
