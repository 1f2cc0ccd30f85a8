print(["ab".ljust(5), "ab".rjust(5), "ab".center(5), "ab".center(6), "abc".center(6, "*"), "é".rjust(3, "ü"), "ab".ljust(1)])
print("7".zfill(3), "-7".zfill(4), "+1.5".zfill(6), "".zfill(2), "abc".zfill(2), "-".zfill(3))
"a".ljust(3, "xy")
