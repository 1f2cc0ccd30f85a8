d = {"a": 1, "b": 2, "c": 3}
keys, values = d.keys(), d.values()
d["e"] = 5
print(len(keys), list(values), "e" in keys, 5 in values, ("a", 1) in d.items(), sorted(keys), sum(values), max(d.items(), key=lambda kv: kv[1]))
for i, (k, v) in enumerate(d.items()):
    print(i, k, v)
print([k for k, v in d.items() if v % 2], list(reversed(d)), keys & {"a", "z"} == {"a"})
