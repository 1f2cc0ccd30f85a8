import copy
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from copy import deepcopy

a = [1, [2, 3], {"k": [4]}, (5, [6]), {1}]
b, c = copy.copy(a), deepcopy(a)
a[1].append(9)
a[2]["k"].append(9)
a[3][1].append(9)
a[4].add(2)
print(b, c, b[1] is a[1], c[1] is a[1])
t = (1, "two", (3.0, None))
print(copy.copy(t) is t, deepcopy(t) is t, deepcopy((1, [2])))

loop = [1]
loop.append(loop)
again = deepcopy(loop)
print(again[1] is again, again is loop, again)
shared = [0]
first, second = deepcopy([shared, shared])
print(first is second, first is shared)


class Node:
    made = 0

    def __init__(self, value, below=None):
        Node.made += 1
        self.value, self.below = value, below or []

    def __repr__(self):
        return f"Node({self.value}, {self.below})"


class Root(Node):
    pass


x = Root(1, [Node(2), Node(3)])
x.parent = x
y, z = copy.copy(x), deepcopy(x)
x.below[0].value = 7
x.value = 8
print(x, y, z, type(z).__name__, Node.made, z.parent is z, y.parent is x, list(z.__dict__))


class Own:
    def __init__(self, name):
        self.name = name

    def __copy__(self):
        return Own(self.name + ", copied")

    def __deepcopy__(self, memo):
        return Own(self.name + f", copied deep, {type(memo).__name__}")


print(copy.copy(Own("a")).name, deepcopy(Own("b")).name, deepcopy([Own("c")])[0].name)

Point = namedtuple("Point", "x y")
for thing in Counter("banana"), deque([[1], 2]), Point([1], 2):
    flat, deep = copy.copy(thing), deepcopy(thing)
    print(flat == thing, deep == thing, flat, deep)
o = OrderedDict(a=[1])
p = deepcopy(o)
p["a"].append(2)
print(list(o.items()), list(p.items()), list(copy.copy(o)))
d = defaultdict(list, a=[1])
e = deepcopy(d)
e["b"].append(2)
print(dict(d), dict(e))
print(deepcopy(print) is print, deepcopy(Node) is Node, copy.copy(len) is len, deepcopy(range(3)), copy.deepcopy("s"))
try:
    deepcopy(i for i in "ab")
except TypeError as error:
    print(error)
