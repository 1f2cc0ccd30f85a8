a, b = 1, 2
a, b = b, a
print(a, b)
(c, d), e = [3, 4], "5"
print(c, d, e)
first, *rest = [1, 2, 3, 4]
*start, last = "abc"
x, *middle, y = range(2)
print(first, rest, start, last, x, middle, y)
[p, [q, *r]] = [1, "xyz"]
print(p, q, r)
