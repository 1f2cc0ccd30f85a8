class Outer:
    class Inner:
        v = 3
        def f(self): return Outer.Inner.v
    def make(self): return self.Inner()
o = Outer()
print(o.make().f(), Outer.Inner.__name__, Outer.Inner.__qualname__)
def f():
    class L: pass
    def g(): pass
print(f())
