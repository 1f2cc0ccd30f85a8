n = 10
n += 5
n -= 3
n *= 2
n //= 5
n **= 3
n %= 7
print(n)
n /= 2
print(n)
l = m = [1]
l += [2]
print(m)
l = l + [3]
print(m, l)
d = {"a": 1}
d["a"] += 10
print(d)
s = "a"
s += "b"
s *= 3
print(s)
