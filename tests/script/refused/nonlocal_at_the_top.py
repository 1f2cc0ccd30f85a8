# 2:1: SyntaxError: nonlocal declaration not allowed at module level
nonlocal x
