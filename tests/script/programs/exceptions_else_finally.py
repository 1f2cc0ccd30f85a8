def f(x):
    try:
        print("try", x)
        if x == 1:
            raise ValueError("one")
        if x == 2:
            return "returned"
    except ValueError as e:
        print("except", e)
    else:
        print("else")
    finally:
        print("finally")
    return "end"
print(f(0), f(1), f(2))
