import math
try:
    math.log(0)
except ValueError as e:
    print("log", type(e).__name__)
math.sqrt(-1)
