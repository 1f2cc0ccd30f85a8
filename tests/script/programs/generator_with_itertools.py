import itertools
from functools import reduce


def naturals(start=0):
    print("from", start)
    while True:
        yield start
        start += 1


def words(text):
    for word in text.split():
        print("word", word)
        yield word


print(list(itertools.islice(naturals(), 2, 9, 3)), list(itertools.takewhile(lambda x: x < 4, naturals(1))))
print(list(itertools.chain(words("a b"), words("c"))), list(itertools.accumulate(words("x y z"))))
print(list(itertools.chain.from_iterable(words(t) for t in ["d e", "f"])), reduce(lambda a, b: a + b, words("p q")))
print(next(filter(lambda x: x % 7 == 6, naturals(1))), next(map(lambda x: x * x, naturals(5))))
both = zip(naturals(), words("one two"))
print(list(both), next(both, "over"))
print(list(itertools.islice(itertools.pairwise(naturals()), 2)))
for size, group in itertools.groupby(words("to be the cat"), len):
    print(size, list(group))
print(list(itertools.zip_longest(words("1 2"), words("3"), fillvalue="-")), any(x > 2 for x in [1, 3]))
first, second, *others = itertools.islice(naturals(7), 4)
print(first, second, others, 5 in naturals(), " ".join(sorted(words("z y"))), len(set(words("a a"))))
