def show(x):
    print("see", x)
    return x
print([show(a) + show(b) for a in (1, 2) if show(a) > 1 for b in (10, 20)])
print({show(k): show(v) for k, v in [(1, 2)]})
