def f(x, seen=[]):
    seen.append(x)
    return seen
print(f(1), f(2), f(3, []), f(4))
n = 1
def g(a=n):
    return a
n = 2
print(g())
