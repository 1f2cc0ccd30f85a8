class Point:
    def __init__(self, x, y=0):
        self.x, self.y = x, y
    def norm(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5
    def moved(self, dx, dy=0):
        return Point(self.x + dx, self.y + dy)
p = Point(3, 4)
print(p.norm(), p.moved(1).x, Point(1).y, Point.norm(p))
p.x = 0
p.z = "new"
print(p.norm(), p.z, hasattr(p, "w"), getattr(p, "w", None))
