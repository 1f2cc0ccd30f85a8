def f(log):
    try:
        try:
            log.append("inner")
            raise KeyError("k")
        finally:
            log.append("first")
    except KeyError:
        log.append("caught")
        return log
    finally:
        log.append("last")
print(f([]))
try:
    try:
        raise ValueError("lost")
    finally:
        raise TypeError("kept")
except TypeError as e:
    print(e)
