# unsupported 4:12: SyntaxError: multiple inheritance is not supported; derive from one class, and keep an object of the other
class A: pass
class B: pass
class C(A, B): pass
