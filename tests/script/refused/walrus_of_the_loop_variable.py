# 2:6: SyntaxError: assignment expression cannot rebind comprehension iteration variable 'i'
x = [i := 0 for i in range(2)]
