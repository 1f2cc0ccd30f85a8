a = 1; b = 2; print(a + b)
total = a + \
    b + \
    10
print(total)
c = [
    1,
    2,  # a comment
]
if a: print("one"); print("line")
print(c, (a
          + b))
