print("a" < "b", "B" < "a", "abc" < "abd", "a" < "ab", "" < "a", "é" > "z", "a" == "a", "1" != 1)
print("bc" in "abcd", "" in "a", "x" not in "abc", "ab" in "ba")
1 in "abc"
