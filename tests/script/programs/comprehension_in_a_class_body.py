class C:
    n = 3
    items = [i for i in range(n)]
    doubled = [x * 2 for x in items]
print(C.items, C.doubled, hasattr(C, "i"))
try:
    class D:
        m = 2
        bad = [m for _ in range(2)]
except NameError as e:
    print(e)
