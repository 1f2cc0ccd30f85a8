import itertools
from itertools import accumulate, chain, combinations, count, cycle, groupby, islice, permutations, product, repeat, starmap, takewhile, zip_longest

print(list(chain([1, 2], (3,), "ab")), list(chain.from_iterable([[1], [2, 3]])), list(chain()))
print(list(product([1, 2], "ab")), list(product(range(2), repeat=3)), list(product()))
print(list(permutations([1, 2, 3])), list(permutations("abc", 2)), list(permutations([1], 2)))
print(list(combinations([1, 2, 3, 4], 2)), list(itertools.combinations_with_replacement("ab", 2)), list(combinations([1], 2)))
print(list(accumulate([1, 2, 3])), list(accumulate([1, 2, 3], lambda a, b: a * b)), list(accumulate([1, 2], initial=10)), list(accumulate([])))
print(list(islice(count(3), 4)), list(islice(range(10), 2, 8, 3)), list(islice("abc", 1, None)), list(islice([1, 2], 5)))
print(list(islice(cycle("ab"), 5)), list(repeat(7, 3)), list(map(pow, [2, 3], repeat(2))), list(islice(cycle([]), 3)))
print(list(takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(itertools.dropwhile(lambda x: x < 3, [1, 2, 3, 1])))
print(list(starmap(pow, [(2, 3), (3, 2)])), list(itertools.filterfalse(None, [0, 1, 2])), list(itertools.compress("abcd", [1, 0, 1, 0])))
print(list(zip_longest([1, 2, 3], "a", fillvalue="-")), list(itertools.pairwise([1, 2, 3])), [list(t) for t in itertools.tee([1, 2])])
for key, group in groupby("aabbbc"):
    print(key, list(group))
print([(k, len(list(g))) for k, g in groupby([1, 3, 2, 4, 5], key=lambda x: x % 2)])
c = count(1, 2)
print(next(c), next(c), c, count(), list(zip(count(), "xy")))
numbers = iter([1, 2, 3, 4])
print(list(islice(numbers, 2)), list(numbers))
for i, (a, b) in enumerate(product("xy", [0, 1])):
    print(i, a, b)
