def f():
    try:
        1 / 0
    except ZeroDivisionError:
        print("saw it")
        raise
try:
    f()
except ArithmeticError as e:
    print(type(e).__name__, e)
try:
    try:
        raise KeyError("a")
    except KeyError as e:
        raise ValueError("b") from e
except ValueError as e:
    print(e, repr(e.__cause__))
