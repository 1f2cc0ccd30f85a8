def quick(xs):
    if len(xs) < 2:
        return xs
    p, *rest = xs
    return quick([x for x in rest if x < p]) + [p] + quick([x for x in rest if x >= p])
def bubble(xs):
    xs = xs[:]
    for i in range(len(xs)):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs
data = [5, 2, 9, 1, 5, 6, -3, 0]
print(quick(data), bubble(data), data, quick(data) == sorted(data))
