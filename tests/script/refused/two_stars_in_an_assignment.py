# 2:1: SyntaxError: multiple starred expressions in assignment
*a, *b = [1, 2]
