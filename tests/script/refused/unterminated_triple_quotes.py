# 2:5: SyntaxError: unterminated triple-quoted string literal (detected at line 3)
x = """abc
def
