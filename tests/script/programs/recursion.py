def fact(n):
    return 1 if n < 2 else n * fact(n - 1)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def depth(x):
    return 1 + max([depth(y) for y in x], default=0) if isinstance(x, list) else 0
print([fact(n) for n in range(10)], fib(15), depth([1, [2, [3, []]], []]))
