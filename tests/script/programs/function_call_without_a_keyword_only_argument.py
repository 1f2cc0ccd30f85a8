def f(a, *, key):
    return key
print(f(1, key=2))
f(1)
