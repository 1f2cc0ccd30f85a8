def find(n, items):
    i = 0
    while i < len(items):
        if items[i] == n:
            print("found", i)
            break
        i += 1
    else:
        print("missing", n)
find(3, [1, 2, 3])
find(9, [1, 2, 3])
find(9, [])
