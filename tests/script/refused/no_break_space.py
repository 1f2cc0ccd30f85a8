# 2:6: SyntaxError: invalid non-printable character U+00A0
x = 1 + 2
