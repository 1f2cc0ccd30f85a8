d = {}
for k in "hello world":
    d[k] = d.get(k, 0) + 1
print(d)
del d["h"]
d["h"] = 0
d["l"] = 100
print(list(d), d["l"])
print({**d, "new": 1, "e": -1})
print({1: "a", 1.0: "b", True: "c"}, {"x": 1, "x": 2})
