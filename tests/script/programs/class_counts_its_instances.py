class Counter:
    made = 0
    def __init__(self):
        type(self).made += 1
        self.id = Counter.made
class Special(Counter):
    made = 100
a, b, s = Counter(), Counter(), Special()
print(a.id, b.id, s.id, Counter.made, Special.made, s.made)
