# unsupported 2:5: SyntaxError: bytes are not supported; use a string, or a list of numbers
x = b"abc"
