print(list(map(int, "123")), list(map(lambda a, b: a + b, [1, 2], [10, 20, 30])), list(filter(lambda x: x > 1, [1, 2, 3])), list(filter(None, [0, 1, [], "a"])))
m = map(str.upper, ["a", "b"])
print(next(m), list(m), sum(map(len, ["ab", "c"])))
list(map(5, [1]))
