a = [[0] * 2] * 2
a[0][0] = 1
print(a)
b = [[0] * 2 for _ in range(2)]
b[0][0] = 1
print(b)
c = a[:]
c.append(5)
c[0].append(9)
print(a, c)
d = a
d.clear()
print(a)
