"""Evaluates the trees of `glassgrad why --format json` with Python's own arithmetic."""
import math
import operator
import statistics
import struct


def number(x):
    return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(x, x) if isinstance(x, str) else x


def rounded(x, dtype):
    """x as a number of the dtype."""
    packed = {"float32": "f", "float16": "e"}.get(dtype)
    if packed and math.isfinite(x):
        try:
            return struct.unpack(packed, struct.pack(packed, x))[0]
        except OverflowError:
            return math.copysign(math.inf, x)
    return {"float16": float, "float32": float, "float64": float, "int64": int, "bool": bool}[dtype](x)


def divided(a, b):
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def guarded(f, outside):
    """f, with `outside` of an argument at which Python's own refuses."""
    def g(x):
        try:
            return f(x)
        except (ValueError, OverflowError):
            return outside(x)
    return g


def extreme(best):
    return lambda *x: math.nan if any(map(math.isnan, x)) else best(x)


def phi(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def polygamma(n, x):
    """The nth derivative of digamma: the recurrence up to 30, there the first terms of its series."""
    if n == 0:
        return -sum(1 / (x + k) for k in range(30)) + math.log(x + 30) - 1 / (2 * (x + 30)) - 1 / (12 * (x + 30) ** 2)
    f, y = math.factorial(int(n)), x + 30
    rest = y ** -n / n + y ** -(n + 1) / 2 + (n + 1) * y ** -(n + 2) / 12
    return (-1) ** (n + 1) * f * (sum((x + k) ** -(n + 1) for k in range(30)) + rest)


OPERATIONS = {
    "neg": operator.neg, "abs": abs, "square": lambda a: a * a, "sign": lambda a: (a > 0) - (a < 0),
    "floor": math.floor, "ceil": math.ceil, "round": round, "trunc": math.trunc,
    "exp": guarded(math.exp, lambda x: math.inf), "expm1": math.expm1,
    "exp2": lambda a: 2 ** a, "log": guarded(math.log, lambda x: -math.inf if x == 0 else math.nan),
    "log2": math.log2, "log10": math.log10, "log1p": math.log1p, "sqrt": guarded(math.sqrt, lambda x: math.nan),
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "tanh": math.tanh, "erf": math.erf,
    "asin": math.asin, "acos": math.acos, "atan": math.atan, "sinh": math.sinh, "cosh": math.cosh, "asinh": math.asinh,
    "acosh": math.acosh, "atanh": math.atanh,
    "lgamma": math.lgamma, "digamma": lambda a: polygamma(0, a), "polygamma": polygamma,
    "erfinv": lambda a: statistics.NormalDist().inv_cdf((a + 1) / 2) / math.sqrt(2),
    "sigmoid": lambda a: 1 / (1 + math.exp(-a)), "normal_cdf": lambda a: (1 + math.erf(a / math.sqrt(2))) / 2,
    "normal_pdf": phi, "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": divided,
    "pow": operator.pow, "power": operator.pow, "fmod": math.fmod, "remainder": operator.mod,
    "floor_divide": operator.floordiv, "atan2": math.atan2, "max": extreme(max), "min": extreme(min),
    "fma": lambda a, b, c: a * b + c, "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge, "and": lambda a, b: bool(a and b), "or": lambda a, b: bool(a or b),
    "not": operator.not_, "bitwise_not": operator.not_, "bitwise_and": operator.and_, "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor, "isinf": math.isinf, "where": lambda c, a, b: a if c else b, "cast": lambda a: a,
    "sum": lambda *x: math.fsum(x) if all(map(math.isfinite, x)) else sum(x),
    "prod": lambda *x: math.prod(x), "all": lambda *x: all(x), "any": lambda *x: any(x), "pick": lambda a, *_: a,
}
OPERATIONS["dot"] = OPERATIONS["sum"]
LEAVES = {"cell", "number", "draw", "same"}


def evaluated(tree, largest=None, known=None):
    """What the tree comes to, from its leaves alone. largest[0] becomes the largest number on the way."""
    largest = [0.0] if largest is None else largest
    known = {} if known is None else known  # values that were already computed, by the tree's id
    value = number(tree["value"])
    if tree["op"] not in LEAVES and tree["op"] != "found":
        inputs = [evaluated(input, largest, known) for input in tree["inputs"]]
        value = rounded(OPERATIONS[tree["op"]](*inputs), tree["dtype"])
    elif tree["op"] == "cell" and tree["inputs"]:
        value = evaluated(tree["inputs"][0], largest, known)
    elif tree["op"] == "same":
        value = known[tree["id"]]
    known[tree.get("id")] = value
    if math.isfinite(value):
        largest[0] = max(largest[0], abs(value))
    return value
