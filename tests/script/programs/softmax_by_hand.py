import math
def softmax(xs):
    m = max(xs)
    e = [math.exp(x - m) for x in xs]
    s = sum(e)
    return [x / s for x in e]
p = softmax([1.0, 2.0, 3.0])
print([f"{x:.4f}" for x in p], round(sum(p), 6), p.index(max(p)))
