a = b = [1]
b.append(2)
print(a, a is b)
x = y, z = 1, 2
print(x, y, z)
i = 0
i, lst = 1, [5, 6, 7]
lst[i] = i = 2
print(i, lst)
