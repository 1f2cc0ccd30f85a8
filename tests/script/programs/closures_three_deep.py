def a(x):
    def b(y):
        def c(z):
            nonlocal x
            x += y + z
            return x
        return c
    return b
f = a(1)(10)
print(f(100), f(100))
