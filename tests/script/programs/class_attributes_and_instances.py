class C:
    shared = []
    n = 0
    def __init__(self):
        self.shared.append(1)
        self.n += 1
        C.n += 10
a, b = C(), C()
print(C.shared, a.n, b.n, C.n)
C.late = "x"
print(a.late)
a.late = "y"
print(a.late, b.late)
del a.late
print(a.late)
