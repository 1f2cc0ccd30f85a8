it = iter([1, 2, 3])
print(next(it), next(it), list(it), next(it, "end"))
it = iter("ab")
for x in it:
    print(x, list(it))
print(iter(it) is it, list(iter({"a": 1})), [x for x in iter((1, 2))])
a = iter([1, 2, 3, 4])
print(list(zip(a, a)))
next(5)
