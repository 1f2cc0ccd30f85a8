def f():
    return undefined_name
f()
