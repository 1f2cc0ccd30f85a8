for a in (7, -7):
    for b in (2, -2, 3, -3):
        print(a, b, a // b, a % b, a - b * (a // b) == a % b)
print(0 // 5, 0 % -5, -1 // 10, -1 % 10, 1 // -10, 1 % -10)
