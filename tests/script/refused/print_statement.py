# 2:1: SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?
print "hello"
