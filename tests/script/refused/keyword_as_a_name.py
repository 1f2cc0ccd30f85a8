# 2:7: SyntaxError: invalid syntax
class = 1
