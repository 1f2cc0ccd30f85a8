# unsupported 2:10: SyntaxError: the conversion !x is not supported; write !r or !s
x = f"{1!x}"
