for n in range(4):
    print("zero" if n == 0 else "odd" if n % 2 else "even", (n if n > 1 else -n) + 1)
print([x if x else "none" for x in (0, 1, "", "a")])
