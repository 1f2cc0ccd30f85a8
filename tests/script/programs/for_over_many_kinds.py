for c in "héy":
    print(c, end=" ")
for k in {"a": 1, "b": 2}:
    print(k, end=" ")
for x in (1, 2.5, None):
    print(x, end=" ")
for x in range(5, 0, -2):
    print(x, end=" ")
for i, (a, b) in enumerate(zip("ab", [1, 2])):
    print(i, a, b, end=" ")
print()
