# 3:5: SyntaxError: 'continue' not properly in loop
if True:
    continue
