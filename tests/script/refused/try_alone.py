# 4:1: SyntaxError: expected 'except' or 'finally' block
try:
    pass
x = 1
