# 2:8: SyntaxError: f-string: valid expression required before '}'
x = f"{}"
