# 2:5: SyntaxError: unterminated f-string literal (detected at line 2)
x = f"abc {1}
