x = 5.0
print(x % 0)
