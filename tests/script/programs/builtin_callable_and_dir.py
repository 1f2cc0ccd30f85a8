class C:
    def f(self): pass
print(callable(len), callable(C), callable(C().f), callable(5), callable(lambda: 0), "f" in dir(C()), "zz" in dir(C))
