class A: pass
print(isinstance(1, int), isinstance(1.0, int), isinstance("a", (int, str)), isinstance([], list), isinstance(None, type(None)), isinstance(A(), object))
print(isinstance(True, bool), isinstance(1, bool), isinstance((), tuple), isinstance({}, dict), isinstance(set(), set), isinstance(A, type), isinstance(len, object), type(1) is int)
print(type("a"), type(A()).__name__, type([]), type(None), type(True), type({}), type(1.5), type(range(1)), issubclass(bool, int))
