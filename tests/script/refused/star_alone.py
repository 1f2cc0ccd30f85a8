# 2:1: SyntaxError: starred assignment target must be in a list or tuple
*a = [1]
