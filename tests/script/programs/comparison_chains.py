x = 5
print(1 < x < 10, 1 < x > 3, 10 > x >= 5 == 5.0, 1 < 2 < 2, 1 == 1 != 2, 3 > 2 > 1 > 0)
def f(n):
    print("f", n)
    return n
print(f(1) < f(3) < f(2) < f(9))
print(f(2) < f(1) < f(0))
