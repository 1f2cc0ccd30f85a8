log = []
def n(x):
    log.append(x)
    return x
n(1) + n(2) * n(3)
n(4) < n(5)
[n(6), n(7)][n(0)]
{n(8): n(9)}
n(10) if n(11) else n(12)
(lambda a, b: 0)(n(13), b=n(14))
x = [0, 0]
x[n(0)], x[n(1)] = n(15), n(16)
print(log)
