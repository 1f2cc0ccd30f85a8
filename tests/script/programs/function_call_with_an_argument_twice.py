def f(a, b=0):
    return a
f(1, a=2)
