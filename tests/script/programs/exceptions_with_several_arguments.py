e = ValueError("a", 2)
print(e, repr(e), e.args, str(ValueError()), repr(ValueError("x")), str(KeyError("k")))
raise KeyError("missing key")
