print("ab" + "cd", "ab" * 3, 3 * "-", "x" * 0, "x" * -1, "a" "b" + "c")
s = ""
for c in "abc":
    s = c + s
print(s)
