class Outer:
    class Inner:
        v = 3
        def f(self): return Outer.Inner.v
    def make(self): return self.Inner()
o = Outer()
print(o.make().f(), Outer.Inner.__name__, Outer.Inner.__qualname__, Outer.make.__qualname__)
def f():
    class L: pass
    def g(): pass
    return L.__qualname__, g.__qualname__, (lambda: 0).__qualname__
print(f())
