a = None
print(a is None, a is not None, a == None, [] is [], None is None, not None)
x = [1]
y = x
print(x is y, x is not [1], x == [1], (1 is not None), a or "default")
