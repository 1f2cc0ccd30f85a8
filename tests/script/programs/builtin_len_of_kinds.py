print(len("aé"), len([1]), len(()), len({1: 2}), len({1, 2}), len(range(10)), len("日本"))
len(5)
