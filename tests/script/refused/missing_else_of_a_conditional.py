# 2:5: SyntaxError: expected 'else' after 'if' expression
x = 1 if True
