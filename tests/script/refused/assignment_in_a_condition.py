# 3:4: SyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?
x = 1
if x = 2:
    pass
