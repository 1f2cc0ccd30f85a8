for f in (lambda: 1 + "a", lambda: "a" + 1, lambda: [1] + (2,), lambda: None + 1, lambda: "a" - "b", lambda: -"a", lambda: ~1.5,
          lambda: "a" * 1.5, lambda: {} + {}, lambda: 1 @ 2, lambda: [1] * [2], lambda: 5 // "a", lambda: 2 ** "a", lambda: 1 & 1.0):
    try:
        f()
    except TypeError as e:
        print(e)
