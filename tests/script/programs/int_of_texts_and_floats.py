print(int("42"), int("  -7 "), int("1_000"), int(3.99), int(-3.99), int(True), int())
print(int("ff", 16), int("0x1f", 16), int("101", 2), int("z", 36), int("0b11", 0))
print(float("1.5"), float(" 1e3 "), float("inf"), float("-Infinity"), float(3), float(True), float())
