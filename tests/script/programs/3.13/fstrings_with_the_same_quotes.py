names = {"cat": 3}
print(f"{names["cat"]} {"a" + "b"} {f"{f"{1}"}"} {'\n'.join(["x", "y"])!r}")
print(f"{names["cat"]:>{len("12345")}}|{
    names["cat"]  # a comment
}")
