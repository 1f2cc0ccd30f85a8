x = "outer"
print([x for x in range(3)], x)
def f():
    y = 5
    z = [y for y in "ab"]
    return y, z
print(f())
print([i for i in range(3)])
print(i)
