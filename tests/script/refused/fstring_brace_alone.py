# 2:7: SyntaxError: f-string: single '}' is not allowed
x = f"}"
