int("4x2")
