# 2:7: SyntaxError: invalid character '“' (U+201C)
print(“hello”)
