# 2:9: SyntaxError: invalid syntax. Perhaps you forgot a comma?
x = [1, 2 3]
