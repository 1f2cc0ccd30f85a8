# 2:1: SyntaxError: cannot assign to function call here. Maybe you meant '==' instead of '='?
f() = 1
