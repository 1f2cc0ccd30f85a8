def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a
print([collatz(n) for n in range(1, 12)], gcd(48, 36), gcd(17, 5), gcd(0, 9))
