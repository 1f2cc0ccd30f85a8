def average():
    total, n, mean = 0, 0, None
    while True:
        x = yield mean
        total += x
        n += 1
        mean = total / n


g = average()
print(next(g), g.send(10), g.send(20), g.__next__ is not None)
try:
    average().send(1)
except TypeError as e:
    print(e)


def careful(name):
    n = 0
    try:
        while n < 5:
            try:
                got = yield n
                print(name, "got", got)
            except ValueError as e:
                print(name, "caught", repr(e))
                n = yield "again"
            else:
                n += 1
    except GeneratorExit:
        print(name, "exit")
        raise
    finally:
        print(name, "finally")
    return "result", n


g = careful("a")
print(next(g), g.send("x"), g.throw(ValueError("v")), g.send(4))
try:
    g.send("last")
except StopIteration as e:
    print(e.value)
g.close()
g = careful("b")
next(g)
print(g.close(), list(g), careful("c").close())
g = careful("d")
next(g)
try:
    g.throw(KeyError)
except KeyError as e:
    print(repr(e), next(g, "over"))


def stubborn():
    try:
        yield 1
    finally:
        yield 2


g = stubborn()
next(g)
try:
    g.close()
except RuntimeError as e:
    print(e)


def handled():
    try:
        1 / 0
    except ZeroDivisionError as e:
        yield str(e)
        yield "still " + str(e)
        try:
            raise
        except ZeroDivisionError:
            yield "raised again"
    try:
        yield "body"
        raise ValueError("held over the yield")
    finally:
        yield "in finally"


g = handled()
try:
    for x in g:
        print(x)
except ValueError as e:
    print(e)


class Manager:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        print("enter", self.name)
        return self.name

    def __exit__(self, kind, error, trace):
        print("exit", self.name, kind and kind.__name__)
        return kind is KeyError


def managed():
    with Manager("x") as x, Manager("y"):
        yield x
        yield x + "!"
    with Manager("z"):
        yield 1
    yield "swallowed"


print(list(managed()))
g = managed()
next(g), next(g)
g.close()
g = managed()
next(g), next(g), next(g)
print(g.throw(KeyError("k")), list(g))


def raises_stop():
    yield 1
    next(iter([]))


try:
    print(list(raises_stop()))
except RuntimeError as e:
    print(e, repr(e.__cause__))


def itself():
    yield next(me)


me = itself()
try:
    next(me)
except ValueError as e:
    print(e)


def endless():
    yield from endless()


try:
    next(endless())
except RecursionError as e:
    print("too deep")
managed().throw(OSError("at the start"))
