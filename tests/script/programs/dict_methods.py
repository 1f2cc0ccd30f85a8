d = {"a": 1, "b": 2}
print(d.get("a"), d.get("z"), d.get("z", 0), d.keys(), d.values(), d.items(), d.pop("a"), d.pop("q", None), d.setdefault("c", []), d.setdefault("b", 9))
d.update({"x": 1}, y=2)
d.update([("z", 3)])
print(d, d.copy() is d, len(d))
d.clear()
print(d, dict(a=1, b=2), dict([("k", "v")]), dict({"a": 1}, b=3), dict(zip("xy", [1, 2])))
{}.pop("k")
