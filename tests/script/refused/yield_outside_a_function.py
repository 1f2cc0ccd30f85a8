# 2:5: SyntaxError: 'yield' outside function
x = yield 1
