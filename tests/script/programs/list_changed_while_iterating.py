a = [1, 2, 3]
for x in a:
    if len(a) < 6:
        a.append(x * 10)
print(a)
b = [1, 2, 3, 4]
for x in b:
    b.remove(x)
print(b)
