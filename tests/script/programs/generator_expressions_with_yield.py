def f(*values, **named):
    print("f", values, named)
    return values


def say(x):
    print("say", x)
    return x


class Box:
    def __init__(self):
        self.n, self.items = 1, [1, 2, 3]


def all_places(box):
    f(say(1), (yield "a"), say(2), *(yield "b"), k=(yield "c"))
    box.n += yield "d"
    box.items[say(0)] -= yield "e"
    box.items[1:2] = yield "f"
    x, *y = yield "g"
    print(box.n, box.items, x, y)
    if (yield "h"):
        print("first")
    elif not (yield "i"):
        print("second")
    for z in (yield "o"):
        print("z", z)
    print(f"{say(3)} {(yield 'p')!r:>{(yield 'q')}}", [(yield "r")], {(yield "s"): (yield "t")})
    print(say(4) + (yield (yield "u")) * 2, -(yield "v"), (yield "w") < 3, [0, 1, 2][(yield "x"):])
    a: int = yield "y"
    assert (yield "z"), "message"
    b = c = yield
    box.items.append((yield a, b, c))
    return (yield from [1, 2]), box.items


answers = {"b": [8, 9], "d": 5, "e": 7, "f": [4, 4], "g": "abc", "h": False, "i": 0,
           "o": "xy", "q": 6, "r": "rr", "s": "key", "u": "U", "U": 5, "v": 3, "w": 3, "x": 1, "z": 1}
g = all_places(Box())
got, sent = [], None
while True:
    try:
        got.append(g.send(sent))
        sent = answers.get(got[-1], got[-1])
        if isinstance(sent, int) and isinstance(got[-1], int):
            sent = None
    except StopIteration as e:
        print(got, e.value)
        break


def inner(n):
    total = 0
    for k in range(n):
        x = yield k
        total += x or 0
    return total


def outer():
    a = yield from inner(2)
    b = yield from inner(1)
    print("inner returned", a, b)
    try:
        yield from inner(9)
    except KeyError:
        yield "caught"
    yield from "ab"
    return a + b


def run():
    result = yield from outer()
    yield f"outer returned {result}"


g = run()
print([g.send(x) for x in (None, 5, 6, 7, 8)], g.throw(KeyError), list(g))
g = run()
next(g)
g.close()
print(list(g))


def returns():
    try:
        return (yield 1)
    finally:
        print("leaving", (yield 2))


g = returns()
print(next(g), g.send("a"))
try:
    g.send("b")
except StopIteration as e:
    print("returned", e.value)


def bad():
    yield from 5


next(bad())
