def f():
    try:
        return [(a, b) for a in [1] for b in [b]]
    except UnboundLocalError as e:
        return e
print(f())
def g():
    return [h for h in [lambda: z]][0]()
g()
