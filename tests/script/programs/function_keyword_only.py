def f(a, b=1, c=2, *, d=3):
    return [a, b, c, d]
print(f(0), f(0, 9), f(0, 9, 8), f(0, c=7, d=6))
print((lambda *a, k=1, **kw: (a, k, kw))(1, 2, k=3, z=4))
f(0, 1, 2, 3)
