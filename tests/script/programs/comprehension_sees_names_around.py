n = 10
print([n + i for i in range(3)])
def f(k):
    return [k * i + n for i in range(k)], sum(k for _ in range(k)), {k: [k for _ in range(2)]}
print(f(3))
print([[y for y in range(x)] for x in range(4)], [x for x in [x for x in range(3)]])
