# 2:1: SyntaxError: cannot assign to None
None = 1
