print(sum(x * x for x in range(5)), max(len(w) for w in ["a", "bbb"]), list(x for x in "abc"))
print(any(x > 2 for x in [1, 2, 3]), all(x > 0 for x in []), sorted(-x for x in range(3)), tuple(i for i in range(2)))
print(",".join(str(x) for x in range(4)), dict((k, 1) for k in "ab"), set(x % 2 for x in range(5)))
