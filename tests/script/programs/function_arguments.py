def f(a, b=2, *args, c, d=4, **kw):
    return a, b, args, c, d, kw
print(f(1, c=3))
print(f(1, 2, 3, 4, c=5, e=6))
print(f(*[1, 2, 3], **{"c": 4, "z": 5}))
print(f(1, *(), c=0, **{}))
print(f(*"ab", *[1], c=1, **{"d": 0}, x=9))
