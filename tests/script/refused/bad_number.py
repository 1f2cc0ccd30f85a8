# 2:5: SyntaxError: invalid decimal literal
x = 12ab
