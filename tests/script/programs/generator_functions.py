def countdown(n):
    """Counts down."""
    print("start", n)
    while n > 0:
        yield n
        n -= 1
    else:
        yield "liftoff"
    print("end")


g = countdown(2)
print(type(g).__name__, repr(g).startswith("<generator object countdown at 0x"), iter(g) is g, countdown.__doc__)
print(next(g), next(g), next(g), next(g, "none left"), list(g))
try:
    next(g)
except StopIteration as e:
    print("stopped", e.value, e.args)


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


for x in fibonacci():
    if x > 20:
        break
    print(x, end=" ")
print([x for x, _ in zip(fibonacci(), range(8))], dict(enumerate(countdown(1))))
a, *b = countdown(2)
print(a, b, sum(x for x in countdown(0) if x != "liftoff"), max(range_of for range_of in [3, 1]))


class Tree:
    def __init__(self, value, *children):
        self.value, self.children = value, children

    def __iter__(self):
        yield self.value
        for child in self.children:
            yield from child

    def pairs(self, start=0, *, step=1):
        for k, x in enumerate(self, start):
            if k % 2:
                continue
            elif x == "b":
                yield k * step, x.upper()
            else:
                yield k * step, x


tree = Tree("a", Tree("b", Tree("c")), Tree("d"))
print(list(tree), "".join(tree), "c" in tree, sorted(tree, reverse=True), list(tree.pairs(2, step=10)))



def permutations(items):
    if not items:
        yield []
    for k in range(len(items)):
        for rest in permutations(items[:k] + items[k + 1:]):
            yield [items[k]] + rest


print(list(permutations("abc")), list(map(str, countdown(1))))
add = []
for k in range(3):
    def late(k=k):
        yield lambda: k * 10
    add.append(late())
print([f() for g in add for f in g])


def broken(n):
    yield 1
    yield 1 // n


print(list(broken(1)))
g = broken(0)
print(next(g))
try:
    next(g)
except ZeroDivisionError as e:
    print("error", e, list(g))
print(list(broken(0)))
