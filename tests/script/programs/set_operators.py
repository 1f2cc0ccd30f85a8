a, b = {1, 2, 3, 4}, {3, 4, 5}
print(sorted(a | b), sorted(a & b), sorted(a - b), sorted(a ^ b), a < b, {3} <= b, a > {1}, a >= a, {1}.isdisjoint({2}))
print(sorted(a.union([9])), sorted(a.intersection([1, 9])), sorted(a.difference([1])), a.issubset(range(10)), a.issuperset([1]), sorted(a.symmetric_difference([1, 7])))
a &= b
print(sorted(a))
a |= {0}
a -= {3}
print(sorted(a), frozenset([1, 2]) == {1, 2})
{1} | [2]
