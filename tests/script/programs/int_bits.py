print(6 & 3, 6 | 3, 6 ^ 3, ~6, 1 << 10, 1024 >> 3, -1 >> 1, -8 >> 1, ~0)
print(True & False, True | False, True ^ True, True + True, True << 2)
x = 5
x &= 4
x |= 1
x ^= 7
x <<= 3
x >>= 1
print(x)
