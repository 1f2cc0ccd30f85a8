# 2:12: SyntaxError: parameter without a default follows parameter with a default
def f(a=1, b): pass
