# 2:5: SyntaxError: can't use starred expression here
x = *a
