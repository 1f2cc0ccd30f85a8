add = lambda a, b=1: a + b
print(add(1), add(1, 2), (lambda: 5)(), (lambda *a: a)(1, 2), (lambda x: lambda y: x * y)(3)(4))
print(sorted([3, 1, 2], key=lambda x: -x), list(map(lambda x: x ** 2, range(4))), add.__name__)
