["a"].index("b")
