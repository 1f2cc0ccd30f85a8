for f in (lambda: [].push, lambda: "a".uppr, lambda: (5).real_part, lambda: None.shape, lambda: {}.add, lambda: len.x, lambda: (lambda: 0).y):
    try:
        f()
    except AttributeError as e:
        print(e)
