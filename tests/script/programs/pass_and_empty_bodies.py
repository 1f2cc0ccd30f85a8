class E:
    pass
def f():
    ...
if True:
    pass
for _ in range(2): pass
while False: pass
print(f(), type(E()).__name__, ...)
