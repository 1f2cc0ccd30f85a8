words = "apple avocado bean beet carrot cherry apple".split()
groups = {}
for w in words:
    groups.setdefault(w[0], []).append(w)
print(groups, {k: len(set(v)) for k, v in groups.items()}, sorted(groups, key=lambda k: (-len(groups[k]), k)))
inverse = {v: k for k, vs in groups.items() for v in vs}
print(inverse, inverse.keys() - {"apple"} == set(inverse) - {"apple"})
