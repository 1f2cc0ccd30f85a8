a = [0, 1, 2, 3, 4, 5]
del a[1], a[-1]
print(a)
del a[1:3]
print(a)
d = {"x": 1, "y": 2}
del d["x"]
print(d)
del a
print(a)
