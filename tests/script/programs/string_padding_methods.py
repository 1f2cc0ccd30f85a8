print(["ab".ljust(5), "ab".rjust(5), "ab".center(5), "ab".center(6, "*"), "42".zfill(5), "-42".zfill(5), "+4".zfill(4), "abc".ljust(2), "a\tb".expandtabs(4), "x".rjust(3, ".")])
