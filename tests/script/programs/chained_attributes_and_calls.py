class Box:
    def __init__(self, v):
        self.v = v
    def add(self, n):
        self.v += n
        return self
    def me(self):
        return self
b = Box(1)
print(b.add(2).add(3).me().v, Box([1, [2, 3]]).v[1][0], "a b".split()[1].upper())
