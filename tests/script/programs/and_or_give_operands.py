print(1 and 2, 0 and 2, "" or "x", [] or {} or 0, None or "d", 1 or 1 / 0, 0 and 1 / 0)
print(not [], not "a", not not 5, (1 and 0) or 3, 1 and 2 and 3, 0 or "" or None)
