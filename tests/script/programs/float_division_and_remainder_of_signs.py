for a in (7.5, -7.5):
    for b in (2.0, -2.0, 0.7):
        print(a // b, a % b)
print(-0.0 % 3.0, 0.0 % -3.0, 5.0 % float("inf"), -5.0 % float("inf"))
print(1e308 * 10, -1e308 * 10, 1e308 * 10 - 1e308 * 10)
