try:
    (1, 2)[0] = 3
except TypeError as e:
    print(e)
try:
    del (1, 2)[0]
except TypeError as e:
    print(e)
s = "abc"
s[0] = "x"
