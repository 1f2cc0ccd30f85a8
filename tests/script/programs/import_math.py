import math
print(math.pi, math.e, math.sqrt(2), math.exp(1), math.log(10), math.log(8, 2), math.log2(8), math.log10(1000))
print(math.floor(-1.5), math.ceil(-1.5), math.sin(0), math.cos(0), math.tanh(0.5), math.inf, math.isnan(math.nan))
print(math.isinf(math.inf), math.fabs(-2), math.factorial(5), math.isclose(0.1 + 0.2, 0.3), math.prod([1, 2, 3]))
