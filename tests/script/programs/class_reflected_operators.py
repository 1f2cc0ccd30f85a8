class Left:
    def __add__(self, o): return NotImplemented
class Right:
    def __radd__(self, o): return "radd"
    def __rsub__(self, o): return f"{o} - right"
    def __rtruediv__(self, o): return "rdiv"
    def __rpow__(self, o): return "rpow"
print(Left() + Right(), 5 - Right(), 2 / Right(), 2 ** Right())
Left() + 5
