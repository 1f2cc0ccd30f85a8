fs = [lambda: i for i in range(3)]
print([f() for f in fs])
gs = [lambda i=i: i for i in range(3)]
print([g() for g in gs])
def make():
    out = []
    for k in range(3):
        out.append(lambda: k)
    k = 99
    return out
print([h() for h in make()])
