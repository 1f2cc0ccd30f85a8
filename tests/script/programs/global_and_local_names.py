x = "global"
def f():
    x = "local"
    return x
def g():
    global x
    x = "changed"
    return x
print(f(), x, g(), x)
def h():
    global new
    new = 5
h()
print(new)
