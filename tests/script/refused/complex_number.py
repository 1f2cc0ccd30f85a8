# unsupported 2:9: SyntaxError: complex numbers are not supported; keep the real and the imaginary part in a tensor of two columns
x = 3 + 2j
