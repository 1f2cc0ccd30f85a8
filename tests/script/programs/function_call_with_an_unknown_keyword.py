def f(a):
    return a
f(1, z=2)
