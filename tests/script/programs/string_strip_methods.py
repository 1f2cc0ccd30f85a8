s = "  xx hello xx  "
print([s.strip(), s.lstrip(), s.rstrip(), s.strip(" x"), "xxaxx".lstrip("x"), "abcba".strip("ab"), "\n\ta ".strip()])
