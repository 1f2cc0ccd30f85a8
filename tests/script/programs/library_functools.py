import functools
from functools import cache, cmp_to_key, lru_cache, partial, reduce, wraps

print(reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(lambda a, b: a + [b], "ab", []), reduce(max, [3, 1, 2]))
try:
    reduce(max, [])
except TypeError as e:
    print("TypeError", e)

power = partial(pow, 2)
print(power(5), partial(round, ndigits=1)(2.25), partial(sorted, reverse=True)([1, 3, 2]), power.args, power.keywords)

calls = []


@lru_cache(maxsize=None)
def fibonacci(n):
    calls.append(n)
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@cache
def square(x):
    calls.append("square")
    return x * x


@lru_cache
def cube(x, *, shift=0):
    """x to the third."""
    calls.append("cube")
    return x ** 3 + shift


print(fibonacci(20), len(calls), square(3), square(3), cube(2), cube(2), cube(2, shift=1), len(calls), cube.__name__, cube.__doc__)


class Grid:
    def __init__(self, n):
        self.n = n

    @cache
    def paths(self, i, j):
        return 1 if i == 0 or j == 0 else self.paths(i - 1, j) + self.paths(i, j - 1)


print(Grid(3).paths(4, 4))


def logged(f):
    @wraps(f)
    def wrapper(*args, **named):
        print("calls", f.__name__, args, named)
        return f(*args, **named)
    return wrapper


@logged
def add(a, b=1):
    """Adds."""
    return a + b


print(add(2, b=3), add.__name__, add.__doc__)
print(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)), functools.reduce(lambda a, b: a - b, (10, 1, 2)))
