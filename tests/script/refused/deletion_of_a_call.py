# 2:5: SyntaxError: cannot delete function call
del f()
