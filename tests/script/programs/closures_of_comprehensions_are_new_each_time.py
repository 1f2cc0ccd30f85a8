def f(n):
    return [lambda: (n, x) for x in range(n)]
a, b = f(2), f(3)
print(a[0](), b[0](), a[1]())
rows = [[lambda: (i, j) for j in range(2)] for i in range(2)]
print([g() for row in rows for g in row])
