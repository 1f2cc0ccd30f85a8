x: int = 5
y: "list[int]"
def f(a: int, b: str = "x", *args: int, c: float = 1.5, **kw: dict) -> str:
    z: int = a
    return f"{z} {b} {args} {c} {kw}"
print(x, f(1), f(1, "2", 3, 4, c=5, d=6))
class C:
    n: int = 3
    m: float
print(C.n, hasattr(C, "m"))
