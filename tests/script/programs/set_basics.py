s = {3, 1, 2, 3}
print(len(s), sorted(s), 2 in s, 5 not in s, set() == set([]), {1} == {1.0}, set("aab") == {"a", "b"}, {1, 2} == {2, 1})
s.add(10)
s.add(1)
s.discard(99)
s.remove(3)
print(sorted(s), len(s), set(), {5}, bool(set()))
s.remove(3)
