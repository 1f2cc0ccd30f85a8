if (n := len("hello")) > 3:
    print(n)
print([y := 1, y + 1, y ** 2], y)
print([last := x for x in range(3)], last)
values = iter([3, 1, 0, 5])
total = 0
while (v := next(values)):
    total += v
print(total, v)
