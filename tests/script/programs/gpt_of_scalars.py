"""A GPT without a tensor: every number is a Value, which remembers the Values it was made from."""
import math
import random

random.seed(7)
steps = 12


# ---- the engine
class Value:
    made = 0

    def __init__(self, data, children=(), slopes=()):
        self.data = data          # the number
        self.children = children  # the Values it was made from
        self.slopes = slopes      # for each child: how much this moves when the child does
        self.grad = 0.0           # how much the loss moves when this does
        Value.made += 1
        self.number = Value.made

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, n):
        return Value(self.data**n, (self,), (n * self.data**(n - 1),))

    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), (e,))

    def log(self):
        return Value(math.log(self.data), (self,), (1 / self.data,))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data > 0 else 0.0,))

    def backward(self):
        found, waiting = {self}, [self]
        while waiting:
            for child in waiting.pop().children:
                if child not in found:
                    found.add(child)
                    waiting.append(child)
        self.grad = 1.0
        for value in sorted(found, key=lambda v: v.number, reverse=True):
            for child, slope in zip(value.children, value.slopes):
                child.grad += slope * value.grad


# ---- the text
names = "anna ben clara emil emma felix hanna ida jonas lena luca mara mia nina noah paul".split()
letters = ["."] + sorted(set("".join(names)))  # "." begins and ends a name
number = {letter: k for k, letter in enumerate(letters)}
context = 8


# ---- the weights
width, heads, hidden = 8, 2, 16


def matrix(rows, columns):
    return [[Value(random.uniform(-0.5, 0.5)) for _ in range(columns)] for _ in range(rows)]


weights = {"letter": matrix(len(letters), width), "place": matrix(context, width),
           "query": matrix(width, width), "key": matrix(width, width),
           "value": matrix(width, width), "out": matrix(width, width),
           "up": matrix(hidden, width), "down": matrix(width, hidden),
           "head": matrix(len(letters), width)}
parameters = [w for rows in weights.values() for row in rows for w in row]


# ---- the model
def total(values):
    return sum(values[1:], values[0])


def dot(xs, ys):
    return total([x * y for x, y in zip(xs, ys)])


def add(xs, ys):
    return [x + y for x, y in zip(xs, ys)]


def linear(x, rows):
    return [dot(x, row) for row in rows]


def norm(x):
    scale = (dot(x, x) * (1 / len(x)) + 1e-5)**-0.5
    return [v * scale for v in x]


def softmax(scores):
    largest = max(s.data for s in scores)
    exps = [(s + -largest).exp() for s in scores]
    share = total(exps)**-1
    return [e * share for e in exps]


def attention(x, keys, values):
    """The letters so far left their keys and values; this one adds its own."""
    query = linear(x, weights["query"])
    keys.append(linear(x, weights["key"]))
    values.append(linear(x, weights["value"]))
    gathered, size = [], width // heads
    for start in range(0, width, size):
        end = start + size
        scores = [dot(query[start:end], key[start:end]) * size**-0.5 for key in keys]
        chances = softmax(scores)
        gathered += [dot(chances, [v[k] for v in values]) for k in range(start, end)]
    return linear(gathered, weights["out"])


def gpt(letter, place, keys, values):
    """A score for each letter that may come next."""
    x = add(weights["letter"][letter], weights["place"][place])
    x = add(x, attention(norm(x), keys, values))
    raised = [v.relu() for v in linear(norm(x), weights["up"])]
    x = add(x, linear(raised, weights["down"]))
    return linear(norm(x), weights["head"])


def loss_of(name):
    ids = [number[letter] for letter in "." + name + "."]
    keys, values, losses = [], [], []
    for place, letter in enumerate(ids[:-1]):
        chances = softmax(gpt(letter, place, keys, values))
        losses.append(chances[ids[place + 1]].log() * -1.0)
    return total(losses) * (1 / len(losses))


# ---- the training: Adam
means, squares = [0.0] * len(parameters), [0.0] * len(parameters)
for step in range(steps):
    loss = loss_of(names[step % len(names)])
    loss.backward()
    rate = 0.02 * (1 - step / steps)
    for k, p in enumerate(parameters):
        means[k] = 0.85 * means[k] + 0.15 * p.grad
        squares[k] = 0.99 * squares[k] + 0.01 * p.grad**2
        mean = means[k] / (1 - 0.85**(step + 1))
        square = squares[k] / (1 - 0.99**(step + 1))
        p.data -= rate * mean / (square**0.5 + 1e-8)
        p.grad = 0.0
    if step % 4 == 3:
        print(step + 1, loss.data, Value.made)


# ---- new names
for _ in range(8):
    letter, name, keys, values = 0, "", [], []
    while len(name) < context:
        chances = softmax([s * (1 / 0.7) for s in gpt(letter, len(name), keys, values)])
        letter = random.choices(range(len(letters)), weights=[c.data for c in chances])[0]
        if letter == 0:
            break
        name += letters[letter]
    print(name)
