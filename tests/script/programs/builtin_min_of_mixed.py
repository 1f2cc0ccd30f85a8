min(1, "a")
