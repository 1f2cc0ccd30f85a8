import random

for seed in (0, 1, 42, -42, 2**31, 2**32, 2**40 + 3, -(2**62), True, "", "a", "glassgrad", "grüße, 東京", 1.5, -1.0, 0.1, 1e300,
             float("inf")):
    random.seed(seed)
    print(repr(seed), random.random(), random.random())
random.seed(7)
print([random.random() for _ in range(700)][-5:])
print([random.getrandbits(k) for k in (0, 1, 8, 31, 32, 33, 48, 62)])
print([random.uniform(-1, 1) for _ in range(4)], random.uniform(2, 2), random.uniform(5.0, 1))
print([random.randint(1, 6) for _ in range(20)])
print([random.randint(-5, 5) for _ in range(8)], random.randint(3, 3), random.randint(0, 2**62 - 2))
print([random.randrange(10) for _ in range(10)], [random.randrange(0, 100, 7) for _ in range(8)])
print([random.randrange(10, 0, -3) for _ in range(8)], random.randrange(5, 6), random.randrange(start=3, stop=9))
print([random.choice("hello") for _ in range(8)], random.choice([1, [2], 3]), random.choice(range(10, 100)))
print(random.choice((None, True)), random.choice(seq=[4]))

random.seed("old", 1)
print(random.random())
random.seed(a="new", version=2)
print(random.random())
random.seed(3)
first = random.random()
random.seed(3)
print(first == random.random())
