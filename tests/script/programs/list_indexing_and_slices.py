a = list(range(10))
print(a[2:5], a[:3], a[-3:], a[::3], a[::-1], a[8:2:-2], a[-100:2], a[5:100], a[3:3], a[-1], a[slice(1, 4)])
a[1:3] = ["x", "y", "z"]
print(a)
a[::5] = [100, 200, 300]
print(a)
a[2:2] = [7]
a[-2:] = []
print(a)
del a[::2]
print(a)
a[0], a[-1] = a[-1], a[0]
print(a)
a[::2] = [1]
