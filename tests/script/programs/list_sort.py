a = [3, 1, 2]
print(a.sort(), a)
a.sort(reverse=True)
print(a)
words = ["banana", "Apple", "cherry", "fig"]
words.sort(key=len)
print(words)
words.sort(key=str.lower, reverse=True)
print(words, sorted(words), sorted("hello"), sorted({"b": 1, "a": 2}), sorted((2, 1)), sorted([True, 0, 2.5]))
people = [("ann", 3), ("bob", 1), ("cid", 3), ("dan", 1)]
print(sorted(people, key=lambda p: p[1]), sorted(people, key=lambda p: (-p[1], p[0])), sorted(people, key=lambda p: p[1], reverse=True))
sorted([1, "a"])
