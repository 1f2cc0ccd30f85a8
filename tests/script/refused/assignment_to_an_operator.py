# 2:1: SyntaxError: cannot assign to expression here. Maybe you meant '==' instead of '='?
a + b = c
