# 2:8: SyntaxError: expected ':'
if True
    pass
