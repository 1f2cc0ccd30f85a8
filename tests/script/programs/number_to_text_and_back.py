for x in (0.1, 1 / 3, 2 ** 0.5, 1e100, 123456.789, 1e-10, 5e-324, 1.7976931348623157e308):
    assert float(str(x)) == x
    print(x, float(f"{x:.3e}"))
print(int(str(-123)), str(10 ** 15), int(1e15), 10 ** 15 == 1e15)
