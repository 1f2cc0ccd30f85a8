class C:
    a = 1
c = C()
print(getattr(c, "a"), getattr(c, "b", "none"), hasattr(c, "a"), hasattr(c, "b"), getattr("abc", "upper")(), getattr([1, 2], "index")(2))
setattr(c, "b", 5)
print(c.b, hasattr(c, "b"))
getattr(c, "zz")
