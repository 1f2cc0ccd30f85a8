print(sorted([3, 1, 2]), sorted("bca", reverse=True), list(reversed("abc")), list(reversed(range(3))), sorted([[2], [1, 5], []]))
print(sorted(["b", "A", "c"], key=str.lower), sorted([("b", 2), ("a", 2), ("c", 1)], key=lambda t: t[1]), sorted({3: "x", 1: "y"}.items()))
print(sorted([0.5, -1, 3, 2.5]), sorted([float("inf"), 1, -float("inf")]), sorted(x % 3 for x in range(6)))
reversed(5)
