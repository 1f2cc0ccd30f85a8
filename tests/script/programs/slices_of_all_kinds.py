print([1, 2, 3][None:None], "abc"[True:], [1, 2, 3][::-1], "abcdef"[-2::-2])
[1][::0]
