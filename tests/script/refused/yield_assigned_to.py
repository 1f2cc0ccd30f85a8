# 3:5: SyntaxError: assignment to yield expression not possible
def f():
    yield x = 1
