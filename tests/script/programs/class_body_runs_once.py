class C:
    print("body")
    for i in range(3):
        total = i
    def f(self): return self.total
    if True:
        kind = "yes"
    x, y = 1, 2
print(C().f(), C.kind, C.i, C.x + C.y)
