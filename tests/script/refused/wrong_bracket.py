# 2:10: SyntaxError: closing parenthesis ']' does not match opening parenthesis '('
x = (1, 2]
