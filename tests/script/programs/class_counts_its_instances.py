class Counter:
    made = 0
    @classmethod
    def total(cls): return cls.made
    def __init__(self):
        type(self).made += 1
        self.id = Counter.made
class Special(Counter):
    made = 100
a, b, s = Counter(), Counter(), Special()
print(a.id, b.id, s.id, Counter.total(), Special.total(), s.made)
