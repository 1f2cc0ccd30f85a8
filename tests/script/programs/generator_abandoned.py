def numbers(name):
    try:
        for k in range(5):
            yield k
    finally:
        print(name, "closed")


def first(name):
    for k in numbers(name):
        return k


for k in numbers("broken off"):
    if k == 2:
        break
print(k, first("returned"))
g = numbers("held")
for k in g:
    break
print(k, list(g))
