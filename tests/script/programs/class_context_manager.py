class Managed:
    def __init__(self, name, swallow=False): self.name, self.swallow = name, swallow
    def __enter__(self):
        print("enter", self.name)
        return self.name.upper()
    def __exit__(self, kind, value, trace):
        print("exit", self.name, kind.__name__ if kind else None, value)
        return self.swallow
with Managed("a") as a, Managed("b") as b:
    print(a, b)
with Managed("c", swallow=True):
    raise ValueError("gone")
with Managed("d") as d, Managed("e"):
    print(d)
def f():
    with Managed("f"):
        return "returned"
print(f())
with Managed("g"):
    1 / 0
