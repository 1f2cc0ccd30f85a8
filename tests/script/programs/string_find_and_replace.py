s = "the cat sat on the mat"
print(s.find("at"), s.rfind("at"), s.find("dog"), s.index("cat"), s.count("at"), s.count(""), s.find("at", 6), s.find("at", 0, 5), s.rindex("t"))
print(s.replace("at", "og"), s.replace("at", "og", 1), s.replace("", "-")[:10], s.startswith("the"), s.endswith(("mat", "hat")), s.startswith("cat", 4))
s.index("dog")
