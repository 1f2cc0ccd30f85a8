print(int("42"), int("  -7 "), int("1_000"), int(3.99), int(-3.99), int(True), int())
print(float("1.5"), float(" 1e3 "), float("inf"), float("-Infinity"), float(3), float(True), float())
