# 2:1: SyntaxError: invalid syntax
elif x: pass
