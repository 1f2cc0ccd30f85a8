def f(x):
    try:
        return [1, 2][x] / {"a": 0}["a" if x < 2 else "b"]
    except ZeroDivisionError as e:
        return "zero", str(e)
    except (IndexError, KeyError) as e:
        return type(e).__name__, e.args
    except Exception as e:
        return "other", type(e).__name__
print(f(0), f(5), f("a"))
try:
    {}["k"]
except LookupError as e:
    print(repr(e), str(e))
