def parse(s):
    try:
        return int(s)
    except ValueError:
        return None
print([parse(s) for s in ("1", "x", "3")], [n for n in map(parse, "1a2") if n is not None])
[int(s) for s in ("1", "x")]
