print(True + 1, True == 1, True is True, isinstance(True, int), sum([True, False, True]), True * 3)
print(bool(0), bool(1), bool(""), bool("a"), bool([]), bool([0]), bool(None), bool(0.0), bool({}), bool(()))
print({True: "a", 1: "b", 1.0: "c"}, [True, 1, 1.0].count(1), not True, not 0)
