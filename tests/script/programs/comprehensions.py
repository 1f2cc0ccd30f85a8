print([x * y for x in range(3) for y in range(x)], [x for x in range(20) if x % 2 if x % 3])
print({x % 3 for x in range(10)} == {0, 1, 2}, {k: v for k, v in zip("abc", range(3))}, {c: i for i, c in enumerate("aba")})
print([[r * c for c in range(3)] for r in range(3)], [a + b for a, b in [(1, 2), (3, 4)]])
print([(a, b) for a, *b in ["xyz", "pq"]], [x for t in [[1, 2], [3]] for x in t])
