# 2:3: SyntaxError: Generator expression must be parenthesized
f(x for x in y, 1)
