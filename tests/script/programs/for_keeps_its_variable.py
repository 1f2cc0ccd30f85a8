for i in range(3):
    pass
print(i)
for a, (b, c) in [(1, (2, 3)), (4, (5, 6))]:
    print(a + b + c)
print(a, b, c)
for x in []:
    print("never")
else:
    print("else")
