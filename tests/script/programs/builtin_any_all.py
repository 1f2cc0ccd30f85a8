print(any([]), all([]), any([0, "", None, 3]), all([1, "a"]), any(x > 5 for x in range(10)), all(c.isalpha() for c in "abc1"))
