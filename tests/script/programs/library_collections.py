from collections import Counter, defaultdict, deque, namedtuple, OrderedDict
import collections

c = Counter("abracadabra")
print(c, c.most_common(2), c["a"], c["z"], len(c), sorted(c), "b" in c, sum(c.values()), c.total())
c.update("aab")
c.subtract(Counter(a=1))
c["q"] += 2
print(c, sorted(c.elements())[:4], dict(c) == {"a": 6, "b": 3, "r": 2, "c": 1, "d": 1, "q": 2})
print(Counter(a=3, b=1) + Counter(a=1, c=2), Counter(a=3, b=1) - Counter(a=1, b=2), Counter(a=3, b=1) | Counter(b=4), Counter(a=3, b=1) & Counter(a=2, b=1))
print(Counter(), Counter([1, 1, 2]) == Counter({1: 2, 2: 1}), Counter({"x": 0}).most_common(), [k for k in Counter("ba")])
for word, n in Counter("to be or not to be".split()).most_common():
    print(word, n)

groups = defaultdict(list)
for word in ["one", "two", "three", "four"]:
    groups[len(word)].append(word)
print(groups, groups[3], len(groups), groups.get(9), sorted(groups.items()))
counts = defaultdict(int, {"a": 1})
counts["b"] += 5
print(counts, dict(counts), {**counts}, counts == {"a": 1, "b": 5}, "c" in counts, counts.pop("a"))
nested = defaultdict(lambda: defaultdict(float))
nested["x"]["y"] += 0.5
print(nested["x"]["y"], nested["x"])
try:
    defaultdict()["a"]
except KeyError as e:
    print("KeyError", e)

q = deque([1, 2, 3], maxlen=3)
q.append(4)
print(q, q[0], q[-1], len(q), list(q), 3 in q)
q.appendleft(0)
print(q, q.popleft(), q.pop(), q)
p = deque()
p.extend("abcd")
p.rotate(1)
print(p, bool(p), deque() == deque(), deque([1]) == deque([1]), p.count("a"))
p.extendleft("xy")
p.rotate(-2)
print(p)
for wrong in (lambda: deque().pop(), lambda: deque().popleft(), lambda: deque()[0]):
    try:
        wrong()
    except IndexError as e:
        print("IndexError", e)

Point = namedtuple("Point", "x y")
a = Point(1, y=2)
x, y = a
print(a, a.x, a[1], x + y, len(a), a == (1, 2), a == Point(1, 2), a._replace(x=5), a._asdict(), Point._fields, list(a), max(Point(1, 2), Point(0, 9)))
Default = namedtuple("Default", ["a", "b", "c"], defaults=[7, 8])
print(Default(1), Default(1, 2), Default._make([3, 4, 5]))
for wrong in (lambda: Point(1), lambda: Point(1, 2, 3), lambda: setattr(a, "x", 3)):
    try:
        wrong()
    except (TypeError, AttributeError) as e:
        print(type(e).__name__, e)
o = OrderedDict([("b", 1), ("a", 2)])
o["c"] = 3
o.move_to_end("b")
print(list(o.items()), o.popitem(), o.popitem(last=False), len(o), collections.Counter is Counter)
