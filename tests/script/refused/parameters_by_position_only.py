# unsupported 2:10: SyntaxError: parameters by position only (/) are not supported; leave the / out
def f(a, /, b): pass
