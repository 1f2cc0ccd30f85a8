class A: pass
for f in (lambda: 5(), lambda: 5[0], lambda: len(5), lambda: iter(5), lambda: [1]["a"], lambda: {}[[]], lambda: None.x, lambda: "abc"["a"],
          lambda: (1)[0], lambda: 1 in 5, lambda: A()[0], lambda: len(A()), lambda: list(3), lambda: int([]), lambda: float(None),
          lambda: sum(["a"]), lambda: abs("a"), lambda: {1: 2}.x, lambda: int("a")):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
