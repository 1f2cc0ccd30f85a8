# 2:4: SyntaxError: invalid syntax
i++
