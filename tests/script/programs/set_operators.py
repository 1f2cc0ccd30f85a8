a, b = {1, 2, 3, 4}, {3, 4, 5}
a &= b
print(sorted(a))
a |= {0}
a -= {3}
print(sorted(a))
{1} | [2]
