import contextlib
from contextlib import closing, contextmanager, nullcontext, suppress


@contextmanager
def tag(name, *more, end="/"):
    """Prints a tag around what is inside."""
    print(f"<{name}>", *more)
    try:
        yield name.upper()
    except ValueError as e:
        print("caught", e)
    finally:
        print(f"<{end}{name}>")


with tag("b") as x, tag("i", 1, end="-") as y:
    print(x, y)
with tag("p"):
    raise ValueError("inside")
try:
    with tag("q"):
        raise KeyError("k")
except KeyError as e:
    print("passed on", e)
print(tag.__name__, tag.__doc__)


@tag("f")
def function(n):
    return n + 1


print(function(1), function(2), function.__name__)


def early():
    with tag("loop"):
        return 5


print(early())
for k in range(3):
    with tag(str(k)):
        if k == 1:
            break


@contextmanager
def nothing():
    if False:
        yield


@contextmanager
def twice():
    yield 1
    yield 2


@contextmanager
def swallows():
    try:
        yield
    except BaseException:
        yield 3


@contextmanager
def replaces():
    try:
        yield
    except KeyError as e:
        raise TypeError("instead") from e


@contextmanager
def silent():
    try:
        yield
    except Exception:
        pass


for make, error in ((nothing, None), (twice, None), (swallows, KeyError("a")), (replaces, KeyError("b")), (silent, IndexError("c"))):
    try:
        with make() as value:
            print("in", value)
            if error:
                raise error
        print("after")
    except Exception as e:
        print(type(e).__name__, e, repr(e.__cause__))
with nullcontext() as a, nullcontext(7) as b, contextlib.nullcontext(enter_result="c") as c:
    print(a, b, c)
with suppress(KeyError, IndexError):
    print([1][3])
print("on")
try:
    with suppress(KeyError):
        raise ValueError("not that")
except ValueError as e:
    print(e)
with suppress():
    print("nothing is suppressed")


class Door:
    def close(self):
        print("closed")


with closing(Door()) as door:
    print(type(door).__name__)
try:
    with closing(Door()):
        raise OSError("wind")
except OSError as e:
    print(e)


@contextmanager
def shared(things):
    things.append("in")
    yield from [things]
    things.append("out")


seen = []
with shared(seen) as inside:
    inside.append("between")
print(seen)
