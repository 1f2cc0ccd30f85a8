# 2:7: SyntaxError: invalid syntax
x = a ? b : c
