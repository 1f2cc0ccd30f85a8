a = [1]
a.append(a)
print(a, len(a), a[1] is a)
d = {}
d["me"] = d
print(d)
