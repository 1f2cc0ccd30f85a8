def outer():
    v = "outer"
    def middle():
        def inner():
            nonlocal v
            v = "inner"
        inner()
        return v
    return middle(), v
print(outer())
