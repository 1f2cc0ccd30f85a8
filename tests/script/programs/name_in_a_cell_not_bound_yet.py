def f():
    def g():
        return x
    print(g())
    x = 1
f()
