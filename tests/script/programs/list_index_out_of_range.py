a = [1, 2]
print(a[-2])
try:
    a[2] = 5
except IndexError as e:
    print(e)
a[-3]
