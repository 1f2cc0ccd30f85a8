print(1 == "1", None == 0, [] == ())
print(1 < "1")
