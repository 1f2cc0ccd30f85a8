class A:
    def __init__(self):
        self.a = 1
        self.b = [2]
a = A()
print(a.__dict__, vars(a))
a.__dict__["c"] = 3
print(a.c, list(vars(a)))
setattr(a, "d", 4)
delattr(a, "a")
print(a.__dict__, getattr(a, "d"), hasattr(a, "a"))
