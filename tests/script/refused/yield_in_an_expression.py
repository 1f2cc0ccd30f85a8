# unsupported 3:10: SyntaxError: generators (yield) are not supported; collect the values in a list and return it
def f():
    x = (yield)
