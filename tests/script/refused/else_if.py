# 3:6: SyntaxError: expected ':'
if 1: pass
else if 2: pass
