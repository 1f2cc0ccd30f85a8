class Base:
    made = 0

    @staticmethod
    def double(x):
        return 2 * x

    @classmethod
    def build(cls, *values):
        cls.made += 1
        return cls(*values)

    def __init__(self, width=1):
        self._width = width

    @property
    def width(self):
        """How wide it is."""
        return self._width

    @width.setter
    def width(self, value):
        if value < 0:
            raise ValueError("too narrow")
        self._width = value

    @property
    def area(self):
        return self.width * self.double(self.width)


class Derived(Base):
    @classmethod
    def build(cls, *values):
        made = super().build(*values)
        made.width = made.width + 1
        return made

    @property
    def area(self):
        return super().area + 1


a = Base(3)
print(a.width, a.area, a.double(4), Base.double(5), Base.build(7).width, Base.made)
a.width = 5
print(a.width, a.area)
d = Derived.build(2)
print(type(d).__name__, d.width, d.area, Derived.made, Base.made, d.build(1).width)
for wrong in (lambda: setattr(a, "area", 1), lambda: setattr(a, "width", -1)):
    try:
        wrong()
    except Exception as e:
        print(type(e).__name__, e)
print(type(Base.width).__name__, type(Base.__dict__["double"]).__name__, type(Base.__dict__["build"]).__name__)
f = Derived.build
print(f(4).width, hasattr(a, "width"), getattr(a, "area"))
