d = {"a": {"b": 1}}
for keys in (["a", "b"], ["a", "c"], ["x"]):
    v = d
    try:
        for k in keys:
            v = v[k]
        print(v)
    except KeyError as e:
        print("no", e, e.args)
del d["nope"]
