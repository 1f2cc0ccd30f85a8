# unsupported 3:12: SyntaxError: yield is not supported here; give its value a name first: x = yield …
def f():
    while (yield):
        pass
