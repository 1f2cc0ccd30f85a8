s = "the cat sat on the mat"
print(s.replace("at", "og"), s.startswith("the"), s.endswith(("mat", "hat")))
s.index("dog")
