print("{} {} {}".format(1, "a", 2.5), "{1} {0}".format("a", "b"), "{x}-{y}".format(x=1, y=2), "{0[1]} {1.real}".format([5, 6], 7))
print("{:>5}|{:<5}|{:^5}|{:*^7}".format("a", "b", "c", "d"), "{{}}".format(), "{:{}}".format("x", 4), "{!r} {!s}".format("a", "b"))
"{} {}".format(1)
