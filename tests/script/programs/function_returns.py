def nothing(): pass
def empty(): return
def many(): return 1, 2, *[3]
def early(x):
    for i in range(10):
        if i == x:
            return "early", i
    return "late"
print(nothing(), empty(), many(), early(3), early(99))
