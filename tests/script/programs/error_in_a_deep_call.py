def check(x):
    if x < 0:
        raise ValueError(f"negative: {x!r}")
    return x ** 0.5
def all_roots(xs):
    return [check(x) for x in xs]
print(all_roots([4, 9]))
all_roots([1, -1])
