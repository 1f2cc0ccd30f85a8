# 2:5: SyntaxError: leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers
x = 0123
