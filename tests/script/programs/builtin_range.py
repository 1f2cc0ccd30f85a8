print(range(5), range(1, 5), range(0, 10, 3), list(range(5)), list(range(2, 8, 2)), list(range(5, 0, -1)), list(range(0)), list(range(3, 1)))
r = range(0, 20, 5)
print(len(r), r[1], r[-1], 10 in r, 11 in r, r[1:3], r == range(0, 20, 5), sum(r), list(reversed(r)))
range(1, 2, 0)
