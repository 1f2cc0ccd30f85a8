def describe(x, *, unit="", digits=2, **extra):
    if x is None: return "nothing"
    if isinstance(x, bool): return "yes" if x else "no"
    if isinstance(x, (int, float)): return f"{x:.{digits}f}{unit}"
    if isinstance(x, (list, tuple)): return ", ".join(describe(y, unit=unit, digits=digits) for y in x)
    return f"{x}{sorted(extra)}"
print(describe(None), describe(True), describe(3, unit="m"), describe([1, 2.5, None], digits=1), describe("s", b=1, a=2))
