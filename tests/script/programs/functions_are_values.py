def f(x): return x + 1
g = f
table = {"f": f, "len": len, "up": str.upper}
print(g(1), table["f"](2), table["len"]("abc"), table["up"]("abc"), f is g, f == g)
print([h(3) for h in (f, float, str, lambda x: [x])])
