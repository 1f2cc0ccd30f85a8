# 2:10: SyntaxError: f-string: invalid conversion character 'x': expected 's', 'r', or 'a'
x = f"{1!x}"
