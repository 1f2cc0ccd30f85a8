d = {}
d[(1, (2, 3))] = "fine"
print(d)
d[[1]] = 2
