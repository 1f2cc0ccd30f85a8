def twice(f):
    def g(*args, **kw):
        return f(*args, **kw), f(*args, **kw)
    return g
def tag(name):
    def wrap(f):
        return lambda *a: f"<{name}>{f(*a)}</{name}>"
    return wrap
@tag("b")
@tag("i")
def hello(x):
    return f"hello {x}"
@twice
def one():
    return 1
print(hello("you"), one())
