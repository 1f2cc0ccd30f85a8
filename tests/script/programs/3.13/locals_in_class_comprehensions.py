class C:
    n = 2
    rows = [[i * j for j in range(2)] for i in range(n)]
    fs = [lambda: k for k in range(3)]
print(C.rows, [f() for f in C.fs], C.fs[0].__name__)
