print(sum([1, 2, 3]), sum([]), sum([0.5, 1]), sum((1, 2), 10), sum([[1], [2]], []), sum(range(101)))
print(min(3, 1, 2), max([3, 1, 2]), min("hello"), max("a", "bb", key=len), min([], default=None), max([1, 5, 3], key=lambda x: -x), max(1, 1.0), min(2.0, 2))
print(min([(2, "a"), (1, "b")]), max({"a": 1, "b": 0}), max([3, 7], [4]), min(-0.0, 0.0))
max([])
