# 2:1: SyntaxError: 'return' outside function
return 1
