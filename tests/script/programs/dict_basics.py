d = {"a": 1, "b": [2], 3: None, (1, 2): "t", None: 0, True: "yes"}
print(d, len(d), d["a"], d[(1, 2)], d[None], d[1], "a" in d, "z" in d, 3 not in d)
d["new"] = 5
d["a"] = 10
del d["b"]
print(d, list(d), {} == dict(), {"a": 1, "b": 2} == {"b": 2, "a": 1}, {1: 2} != {1: 2.0})
for k in d:
    print(k, end=";")
print()
d["missing"]
