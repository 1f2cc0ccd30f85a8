from math import sqrt, pi as PI
import math as m
print(sqrt(9), PI == m.pi, m.floor(2.7))
def f():
    from math import ceil
    import math
print(f())
