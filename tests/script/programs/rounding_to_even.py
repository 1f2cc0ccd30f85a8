for x in (0.5, 1.5, 2.5, -0.5, -1.5, 2.675, 1.005, 0.15, 0.25, 0.35):
    print(x, round(x), round(x, 1), round(x, 2))
print(round(1234, -2), round(1250, -2), round(1350, -2), round(-1250, -2), round(7), round(1e20, 2))
print(type(round(2.0)), type(round(2.0, 0)), round(2.5, 0), round(True))
