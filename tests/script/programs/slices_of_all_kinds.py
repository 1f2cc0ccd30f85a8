s = slice(1, None, 2)
print([0, 1, 2, 3, 4][s], "abcdef"[s], (1, 2, 3)[s], s, s.start, s.stop, s.step, range(10)[s])
print([1, 2, 3][None:None], "abc"[True:], [1, 2, 3][::-1], "abcdef"[-2::-2])
[1][::0]
