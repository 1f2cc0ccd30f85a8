import math

def error(f):
    try:
        print("no error:", f())
    except Exception as e:
        print(type(e).__name__ + ":", e)

for x in (0.0, 0.25, -0.5, 0.9, 1.0):
    print(math.asin(x), math.acos(x), math.asinh(x), math.erfc(x), math.exp2(x), math.degrees(x), math.radians(x))
    print(math.atan2(x, 2), math.atan2(-x, -1), math.copysign(3, x), math.fmod(7, x + 2), math.trunc(10 * x))
print(math.acosh(1), math.acosh(3.5), math.atanh(0.5), math.cbrt(27), math.cbrt(-2), math.atanh(-0.25))
print(math.gcd(), math.gcd(12), math.gcd(12, -18), math.gcd(0, 0), math.gcd(48, 36, 30), math.lcm(), math.lcm(4, 6), math.lcm(3, 0))
print(math.isqrt(0), math.isqrt(15), math.isqrt(16), math.isqrt(2**62), math.isqrt(2**62 - 1))
print(math.comb(5, 2), math.comb(60, 30), math.comb(3, 5), math.perm(5), math.perm(5, 2), math.perm(3, 4), math.comb(0, 0))
print(math.fsum([0.1] * 10), math.fsum([1e100, 1.0, -1e100]), math.fsum([]), math.fsum([1e-16, 1, 1e16]))
print(math.fsum([0.5, 2.0**53, 1.0]), math.fsum([math.inf, 1]), math.fsum(x * 0.1 for x in range(100)))
print(math.trunc(-2.7), math.trunc(5), math.copysign(1, -0.0), math.fmod(-7.5, 2))
for f in (lambda: math.asin(2), lambda: math.acosh(0.5), lambda: math.atanh(1), lambda: math.log1p(-1), lambda: math.fmod(1, 0),
          lambda: math.exp2(5000), lambda: math.isqrt(-1), lambda: math.comb(-1, 2), lambda: math.perm(3, -1),
          lambda: math.gcd(1.5), lambda: math.fsum([math.inf, -math.inf]), lambda: math.atan2(1), lambda: math.cosh(1000),
          lambda: math.trunc(math.inf), lambda: math.comb(2), lambda: math.fsum(3), lambda: math.expm1(1000)):
    error(f)
