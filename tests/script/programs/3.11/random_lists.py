import random
from random import shuffle, choices

random.seed(11)
x = list(range(20))
print(random.shuffle(x), x)
words = "one two three four".split()
shuffle(words)
print(words)
empty = []
shuffle(empty)
print(empty)
print(random.sample(range(100), 10), random.sample(words, 4), random.sample("abcdef", k=3))
print(random.sample(range(10**9), 6), random.sample([], 0), random.sample((1, 2), 1))
print(random.sample(list(range(30)), 5), random.sample(list(range(500)), 40)[:7], random.sample(range(22), 2))
print(random.sample(["a", "b"], counts=[3, 2], k=4))
print(choices("abc", k=8), choices([1, 2, 3]), choices([], k=0))
print(choices(range(4), weights=[1, 2, 3, 4], k=10), choices("ab", [0, 1], k=3), choices("ab", (0.5, 0), k=3))
print(choices("abcd", cum_weights=[1, 3, 6, 10], k=10), choices([0, 1], weights=[True, 2.5], k=5))
print(choices(["rare", "often"], [0.01, 0.99], k=6))
print(choices([1, 2], k=-3), random.choices(population=[5], k=2))
