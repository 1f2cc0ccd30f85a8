# 2:3: SyntaxError: invalid syntax
x := 1
