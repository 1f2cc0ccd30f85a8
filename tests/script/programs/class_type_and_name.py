class A: pass
class B(A): pass
b = B()
print(type(b) is B, type(b) == A, type(b).__name__, b.__class__.__name__, type(1).__name__, type("").__name__, type(None).__name__)
print(type(A).__name__, type([]) is list, isinstance(b, (int, A)), isinstance(1, (str, float)))
print(int, str, type(1.5), A.__module__)
