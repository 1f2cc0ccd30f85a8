a, b = "abc"
