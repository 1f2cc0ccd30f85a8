print(list(enumerate("ab")), list(enumerate(["x"], start=5)), list(zip([1, 2, 3], "ab")), list(zip()), list(zip([1], [2], [3])))
print(dict(zip("abc", range(3))), list(zip(*[(1, "a"), (2, "b")])), [(i, x, y) for i, (x, y) in enumerate(zip("ab", "cd"))])
z = zip([1, 2], [3, 4])
print(next(z), list(z), list(z))
