class Value:
    def __init__(self, data, parents=(), back=lambda g: ()):
        self.data, self.grad, self.parents, self.back = data, 0.0, parents, back
    def __add__(self, o):
        return Value(self.data + o.data, (self, o), lambda g: (g, g))
    def __mul__(self, o):
        return Value(self.data * o.data, (self, o), lambda g: (g * o.data, g * self.data))
    def backward(self, g=1.0):
        self.grad += g
        for p, d in zip(self.parents, self.back(g)):
            p.backward(d)
a, b = Value(2.0), Value(-3.0)
c = a * b + a * a
c.backward()
print(c.data, a.grad, b.grad)
