# 3:5: SyntaxError: no binding for nonlocal 'x' found
def f():
    nonlocal x
